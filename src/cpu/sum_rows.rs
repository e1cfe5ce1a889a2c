use crate::cpu::SquareSum;
use crate::plan::SumRows;

/// Twin of `sum_rows.wgsl`: `values` is (slabs, 4 `slab_stride`), `results` (slabs). Equal to 1e-5.
pub(super) fn sum_rows(p: &SumRows, values: &[f32], results: &mut [SquareSum], slabs: u32) {
    for (slab, result) in results.iter_mut().take(slabs as usize).enumerate() {
        let values = &values[4 * slab * p.slab_stride as usize + p.offset as usize..][..p.count as usize];
        let max_bits = values.iter().map(|value| value.abs().to_bits()).max().unwrap_or(0);
        *result = SquareSum { middle: values.iter().sum(), max_bits, ..SquareSum::default() };
    }
}

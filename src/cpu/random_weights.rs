use crate::cpu::shared::random::{normals, pcg4d, uniforms};
use crate::plan::RandomWeights;

/// Twin of `random_weights.wgsl`: `out` is (layers, `padded_rows`, 4 `stride`). Equal to 4 ULP.
pub(super) fn random_weights(p: &RandomWeights, out: &mut [f32], layers: u32) {
    let columns = p.columns as usize;
    let (row_segment, row_step) = (p.row_segment as usize, p.row_step as usize);
    let (column_segment, column_step) = (p.column_segment as usize, p.column_step as usize);
    let width = 4 * p.stride as usize;
    for y in 0..layers {
        let layer = p.first_layer.wrapping_add(y);
        let draws = |group: usize| {
            let words = pcg4d(group as u32, p.tensor, layer, p.seed);
            if p.draws == 1 { uniforms(words).map(|x| x * 1.732_050_8) } else { normals(words) }
        };
        let slab = &mut out[4 * (y * p.layer_stride) as usize..][..p.padded_rows as usize * width];
        if p.adds == 0 {
            slab.fill(0.0);
        }
        let mut group = (usize::MAX, [0.0; 4]);
        for (padded_row, out) in slab.chunks_exact_mut(width).enumerate() {
            if padded_row % row_step >= row_segment {
                continue;
            }
            let row = (padded_row / row_step * row_segment + padded_row % row_step) / p.repeat as usize;
            for (padded_column, out) in out.iter_mut().enumerate() {
                if padded_column % column_step >= column_segment {
                    continue;
                }
                let column = padded_column / column_step * column_segment + padded_column % column_step;
                if p.draws == 2 {
                    *out = if row == column { p.deviation } else { 0.0 };
                    continue;
                }
                let position = row * columns + column;
                if group.0 != position / 4 {
                    group = (position / 4, draws(position / 4));
                }
                let value = group.1[position % 4] * p.deviation;
                let shaken = if value == 0.0 { value } else { f32::from_bits(value.to_bits() ^ p.shake) };
                *out = if p.adds == 1 { *out + shaken } else { shaken };
            }
        }
    }
}

use crate::cpu::shared::activation::activate;
use crate::plan::MatmulForward;

/// Twin of `matmul_forward.wgsl`: `a` is (rows, 4 inner), `out` and `activated` (rows, 4 columns). Equal to 1e-5 of the sum of the
/// absolute products.
pub(super) fn matmul_forward(p: &MatmulForward, a: &[f32], weight: &[f32], out: &mut [f32], activated: &mut [f32]) {
    let (inner, a_stride) = (4 * p.inner as usize, 4 * p.a_stride as usize);
    let (columns, group_columns) = (4 * p.columns as usize, 4 * p.group_columns as usize);
    for row in 0..p.rows as usize {
        let a = &a[row * a_stride..][..inner];
        let out = &mut out[row * columns..][..columns];
        for (group, out) in out.chunks_exact_mut(group_columns).enumerate() {
            let weight = &weight[4 * p.group_stride as usize * group..][..inner * group_columns];
            out.fill(0.0);
            for (a, weight) in a.iter().zip(weight.chunks_exact(group_columns)) {
                for (out, weight) in out.iter_mut().zip(weight) {
                    *out += a * weight;
                }
            }
        }
        if p.activates == 1 {
            for (out, activated) in out.iter_mut().zip(&mut activated[row * columns..]) {
                (*activated, *out) = activate(p.kind, *out);
            }
        }
    }
}

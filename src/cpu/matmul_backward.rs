use crate::cpu::shared::activation::{activation, activation_slope};
use crate::plan::MatmulBackward;

/// Twin of `matmul_backward.wgsl`: `g` is (rows, 4 columns), `out` (rows, 4 out_columns), or shaped as `hidden`. Equal
/// to 1e-5 of the sum of the absolute products.
pub(super) fn matmul_backward(p: &MatmulBackward, g: &[f32], weight: &[f32], hidden: &[f32], out: &mut [f32]) {
    let (g_stride, group_columns) = (4 * p.g_stride as usize, 4 * p.group_columns as usize);
    let (columns, group_stride) = (4 * p.out_columns as usize, 4 * p.group_stride as usize);
    let out_stride = if p.mode == 2 { 2 * columns } else { columns };
    for row in 0..p.rows as usize {
        let g = &g[row * g_stride..][..group_columns * p.groups as usize];
        for column in 0..columns {
            let products = g.chunks_exact(group_columns).enumerate().map(|(group, g)| {
                let weight = &weight[group * group_stride + column * group_columns..][..group_columns];
                dot(g, weight)
            });
            let sum: f32 = products.sum();
            let at = row * out_stride + column;
            match p.mode {
                0 => out[at] = sum,
                1 => out[at] = sum * activation_slope(p.kind, hidden[at]),
                _ => {
                    let (h, gate) = (hidden[at], hidden[at + columns]);
                    out[at] = sum * activation(p.kind, gate);
                    out[at + columns] = sum * h * activation_slope(p.kind, gate);
                }
            }
        }
    }
}

/// In four sums, as the shader's vec4s have it; the compiler may then use vector instructions.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 4];
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        for i in 0..4 {
            sums[i] += a[i] * b[i];
        }
    }
    sums[0] + sums[1] + sums[2] + sums[3]
}

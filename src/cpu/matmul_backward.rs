use crate::plan::MatmulBackward;

/// Twin of `matmul_backward.wgsl`: `g` is (cotangents, rows, 4 columns), `out` (cotangents, rows, 4 out_columns) once or
/// twice, `slopes` (rows, 4 out_columns) as often. Equal to 1e-5 of the sum of the absolute products.
pub(super) fn matmul_backward(
    p: &MatmulBackward,
    g: &[f32],
    weight: &[f32],
    slopes: &[f32],
    out: &mut [f32],
    cotangents: u32,
) {
    let (g_stride, group_columns) = (4 * p.g_stride as usize, 4 * p.group_columns as usize);
    let (columns, group_stride) = (4 * p.out_columns as usize, 4 * p.group_stride as usize);
    let out_stride = columns * p.factors.max(1) as usize;
    for moving in 0..(cotangents * p.rows) as usize {
        let g = &g[moving * g_stride..][..group_columns * p.groups as usize];
        let out = &mut out[moving * out_stride..][..out_stride];
        let first_slope = moving % p.rows as usize * out_stride;
        for column in 0..columns {
            let products = g.chunks_exact(group_columns).enumerate().map(|(group, g)| {
                let weight = &weight[group * group_stride + column * group_columns..][..group_columns];
                dot(g, weight)
            });
            let sum: f32 = products.sum();
            out[column] = sum;
            for part in (column..out_stride).step_by(columns).take(p.factors as usize) {
                out[part] = sum * slopes[first_slope + part];
            }
        }
    }
}

/// In four sums, as the shader's vec4s have it; the compiler may then use vector instructions.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 4];
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        for i in 0..4 {
            sums[i] += a[i] * b[i];
        }
    }
    sums[0] + sums[1] + sums[2] + sums[3]
}

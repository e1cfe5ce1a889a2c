use crate::plan::WeightGradient;

/// Twin of `weight_gradient.wgsl`: `x` is (rows, fan_in), `g` (rows, fan_out of each matrix), `out` (matrices, fan_in,
/// fan_out). Equal to 1e-5 of the sum of the absolute products.
pub(super) fn weight_gradient(p: &WeightGradient, x: &[f32], g: &[f32], out: &mut [f32], matrices: u32) {
    let (x_stride, g_stride, columns) =
        (4 * p.x_stride as usize, 4 * p.g_stride as usize, 4 * p.group_columns as usize);
    let tokens = p.tokens as usize;
    for matrix in 0..matrices as usize {
        let out = &mut out[4 * matrix * p.group_stride as usize..][..x_stride * columns];
        out.fill(0.0);
        for sequence in 0..p.sequences as usize {
            let first_row = &x[sequence * tokens * x_stride..][..x_stride];
            for row in sequence * tokens..(sequence + 1) * tokens {
                let x = &x[row * x_stride..][..x_stride];
                let g = &g[row * g_stride + matrix * columns..][..columns];
                for ((x, first), out) in x.iter().zip(first_row).zip(out.chunks_exact_mut(columns)) {
                    let x = if matrix == p.centred as usize { x - first } else { *x };
                    for (out, g) in out.iter_mut().zip(g) {
                        *out += x * g;
                    }
                }
            }
        }
    }
}

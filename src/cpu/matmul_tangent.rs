use crate::plan::MatmulTangent;

/// Twin of `matmul_tangent.wgsl`: `tangent` is (2, rows, 4 inner), `x` (rows, 4 inner), `out` (2, rows, 4 columns);
/// `gradient` lies as `weight` does. Equal to 1e-5 of the sum of the absolute products.
pub(super) fn matmul_tangent(
    p: &MatmulTangent,
    tangent: &[f32],
    weight: &[f32],
    x: &[f32],
    gradient: &[f32],
    out: &mut [f32],
    directions: u32,
) {
    let (rows, inner) = (p.rows as usize, 4 * p.inner as usize);
    let (columns, group_columns) = (4 * p.columns as usize, 4 * p.group_columns as usize);
    for direction in 0..directions as usize {
        for row in 0..rows {
            let moving = direction * rows + row;
            let out = &mut out[moving * columns..][..columns];
            for (group, out) in out.chunks_exact_mut(group_columns).enumerate() {
                let matrix = 4 * p.group_stride as usize * group..;
                out.fill(0.0);
                if p.moves == 1 {
                    add_product(&tangent[moving * inner..][..inner], &weight[matrix.clone()], |w| w, out);
                }
                let (x, gradient) = (&x[row * inner..][..inner], &gradient[matrix]);
                if direction == 1 {
                    add_product(x, gradient, sign, out);
                } else {
                    add_product(x, gradient, |g| g, out);
                }
            }
        }
    }
}

/// Not `f32::signum`, which is 1 at 0.
fn sign(x: f32) -> f32 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// Adds `a W` to a row, each weight as `of` has it.
fn add_product(a: &[f32], weight: &[f32], of: impl Fn(f32) -> f32, out: &mut [f32]) {
    for (a, weight) in a.iter().zip(weight.chunks_exact(out.len())) {
        for (out, weight) in out.iter_mut().zip(weight) {
            *out += a * of(*weight);
        }
    }
}

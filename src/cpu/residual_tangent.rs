use crate::cpu::shared::norm::norm_gradient;
use crate::plan::ResidualTangent;

/// Twin of `residual_tangent.wgsl`: `out` and `branch` are (rows, d), `scale` (2, rows), `branch_tangent`, `tangent`
/// and `side` (directions, rows, d). Equal to 1e-5 of a row's largest value times its scale.
#[expect(clippy::too_many_arguments, reason = "they are the shader's bindings, in its order")]
pub(super) fn residual_tangent(
    p: &ResidualTangent,
    out: &[f32],
    branch: &[f32],
    scale: &[f32],
    branch_tangent: &[f32],
    tangent: &mut [f32],
    side: &mut [f32],
    directions: u32,
) {
    let (rows, stride, width) = (p.rows as usize, 4 * p.stride as usize, p.width as usize);
    for moving in 0..directions as usize * rows {
        let row = moving % rows;
        let of_row = row * stride..row * stride + width;
        let moving = moving * stride..(moving + 1) * stride;
        let mut df = branch_tangent[moving.clone()].to_vec();
        if p.branch_norm == 1 {
            norm_gradient(p.kind, &mut df[..width], &branch[of_row.clone()], p.width, scale[row]);
        }
        for ((at, tangent), df) in moving.clone().zip(&mut tangent[moving.clone()]).zip(df) {
            let dx = if p.skip == 0.0 { 0.0 } else { *tangent };
            *tangent = p.skip * dx + df;
            match p.side_mode {
                0 => {}
                1 => side[at] += df,
                2 => side[at] = dx + df,
                3 => side[at] = dx,
                _ => *tangent += side[at],
            }
        }
        if p.sum_norm == 1 {
            let tangent = &mut tangent[moving][..width];
            norm_gradient(p.kind, tangent, &out[of_row], p.width, scale[rows + row]);
        }
    }
}

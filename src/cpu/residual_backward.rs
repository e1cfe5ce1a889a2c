use crate::cpu::shared::norm::norm_gradient;
use crate::plan::ResidualBackward;

/// Twin of `residual_backward.wgsl`: `out` and `branch` are (rows, d), `scale` (2, rows), the gradients (cotangents, rows,
/// d). Equal to 1e-5 of a row's largest value times its scale.
#[expect(clippy::too_many_arguments, reason = "they are the shader's bindings, in its order")]
pub(super) fn residual_backward(
    p: &ResidualBackward,
    out: &[f32],
    branch: &[f32],
    scale: &[f32],
    grad: &mut [f32],
    branch_grad: &mut [f32],
    side_grad: &mut [f32],
    cotangents: u32,
) {
    let (rows, stride, width) = (p.rows as usize, 4 * p.stride as usize, p.width as usize);
    for moving in 0..cotangents as usize * rows {
        let row = moving % rows;
        let of_row = row * stride..row * stride + width;
        let of_grad = moving * stride..moving * stride + width;
        let grad = &mut grad[of_grad.clone()];
        if p.sum_norm == 1 {
            norm_gradient(p.kind, grad, &out[of_row.clone()], p.width, scale[rows + row]);
        }
        if p.branch_norm == 1 {
            branch_grad[moving * stride..][..stride].fill(0.0);
            let branch_grad = &mut branch_grad[of_grad];
            branch_grad.copy_from_slice(grad);
            norm_gradient(p.kind, branch_grad, &branch[of_row], p.width, scale[row]);
        }
        let of_row = moving * stride..(moving + 1) * stride;
        match p.side_mode {
            0 => {}
            1 => {
                let sums = grad.iter().zip(&side_grad[of_row.clone()]).map(|(grad, side)| grad + side);
                branch_grad[of_row.clone()].fill(0.0);
                branch_grad[of_row.clone()].iter_mut().zip(sums).for_each(|(out, sum)| *out = sum);
            }
            _ => {
                side_grad[of_row.clone()].fill(0.0);
                side_grad[of_row.clone()][..width].copy_from_slice(grad);
            }
        }
        if p.keeps == 1 {
            branch_grad[of_row.clone()].fill(0.0);
            branch_grad[of_row][..width].copy_from_slice(grad);
        }
    }
}

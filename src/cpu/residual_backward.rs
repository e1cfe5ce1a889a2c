use crate::cpu::shared::norm::norm_gradient;
use crate::plan::ResidualBackward;

/// Twin of `residual_backward.wgsl`: all (rows, d), `scale` (2, rows). Equal to 1e-5 of a row's largest value times its
/// scale.
pub(super) fn residual_backward(
    p: &ResidualBackward,
    out: &[f32],
    branch: &[f32],
    scale: &[f32],
    grad: &mut [f32],
    branch_grad: &mut [f32],
    side_grad: &mut [f32],
) {
    let (rows, stride, width) = (p.rows as usize, 4 * p.stride as usize, p.width as usize);
    for row in 0..rows {
        let of_row = row * stride..row * stride + width;
        let grad = &mut grad[of_row.clone()];
        if p.sum_norm == 1 {
            norm_gradient(p.kind, grad, &out[of_row.clone()], p.width, scale[rows + row]);
        }
        if p.branch_norm == 1 {
            branch_grad[row * stride..][..stride].fill(0.0);
            let branch_grad = &mut branch_grad[of_row.clone()];
            branch_grad.copy_from_slice(grad);
            norm_gradient(p.kind, branch_grad, &branch[of_row.clone()], p.width, scale[row]);
        }
        let of_row = row * stride..(row + 1) * stride;
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

use crate::cpu::SquareSum;
use crate::cpu::shared::norm::norm_gradient;
use crate::plan::SkipBackward;

/// Twin of `skip_backward.wgsl`: `normed` is (rows, d), `scale` (rows), the gradients (cotangents, rows, d), `partials`
/// (cotangents, rows). Equal to 1e-5 of a row's largest value times its scale.
#[expect(clippy::too_many_arguments, reason = "they are the shader's bindings, in its order")]
pub(super) fn skip_backward(
    p: &SkipBackward,
    input_grad: &[f32],
    normed: &[f32],
    scale: &[f32],
    grad: &mut [f32],
    partials: &mut [SquareSum],
    side_grad: &[f32],
    kept: &mut [f32],
    cotangents: u32,
) {
    let (stride, width) = (4 * p.stride as usize, p.width as usize);
    let mut dx = vec![0.0; stride];
    let rows = (cotangents * p.rows) as usize;
    for (moving, partial) in partials.iter_mut().enumerate().take(rows) {
        let row = moving % p.rows as usize;
        let of_row = moving * stride..(moving + 1) * stride;
        dx.copy_from_slice(&input_grad[of_row.clone()]);
        if p.input_norm == 1 {
            dx.iter_mut().for_each(|dx| *dx *= p.gain);
            let y: Vec<f32> = normed[row * stride..][..width].iter().map(|y| y / p.gain).collect();
            norm_gradient(p.kind, &mut dx[..width], &y, p.width, scale[row]);
        }
        let grad = &mut grad[of_row.clone()];
        for (grad, dx) in grad.iter_mut().zip(&dx) {
            // Before the first use there is nothing in `grad`.
            *grad = if p.skip == 0.0 { *dx } else { dx + p.skip * *grad };
        }
        if p.adds_side == 1 {
            grad.iter_mut().zip(&side_grad[of_row.clone()]).for_each(|(grad, side)| *grad += side);
        }
        if p.keeps == 1 {
            kept[of_row].copy_from_slice(grad);
        }
        *partial = SquareSum::of(grad);
    }
}

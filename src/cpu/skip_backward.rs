use crate::cpu::SquareSum;
use crate::cpu::shared::norm::norm_gradient;
use crate::plan::SkipBackward;

/// Twin of `skip_backward.wgsl`: all (rows, d), `scale` and `partials` (rows). Equal to 1e-5 of a row's largest value
/// times its scale.
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
) {
    let (stride, width) = (4 * p.stride as usize, p.width as usize);
    let mut dx = vec![0.0; stride];
    for row in 0..p.rows as usize {
        dx.copy_from_slice(&input_grad[row * stride..][..stride]);
        if p.input_norm == 1 {
            dx.iter_mut().for_each(|dx| *dx *= p.gain);
            let y: Vec<f32> = normed[row * stride..][..width].iter().map(|y| y / p.gain).collect();
            norm_gradient(p.kind, &mut dx[..width], &y, p.width, scale[row]);
        }
        let grad = &mut grad[row * stride..][..stride];
        for (grad, dx) in grad.iter_mut().zip(&dx) {
            // Before the first use there is nothing in `grad`.
            *grad = if p.skip == 0.0 { *dx } else { dx + p.skip * *grad };
        }
        if p.adds_side == 1 {
            grad.iter_mut().zip(&side_grad[row * stride..]).for_each(|(grad, side)| *grad += side);
        }
        if p.keeps == 1 {
            kept[row * stride..][..stride].copy_from_slice(grad);
        }
        partials[row] = SquareSum::of(grad);
    }
}

use crate::cpu::shared::norm::normalise;
use crate::plan::NormForward;

/// Twin of `norm_forward.wgsl`: `x` and `y` are (rows, d), `scale` (rows). Equal to 1e-5 of a row's largest value.
pub(super) fn norm_forward(p: &NormForward, x: &[f32], y: &mut [f32], scale: &mut [f32]) {
    let (stride, width) = (4 * p.stride as usize, p.width as usize);
    for row in 0..p.rows as usize {
        let y = &mut y[row * stride..][..stride];
        y.copy_from_slice(&x[row * stride..][..stride]);
        scale[row] = normalise(p.kind, &mut y[..width], p.width, p.epsilon);
        for y in &mut y[..width] {
            *y *= p.gain;
        }
    }
}

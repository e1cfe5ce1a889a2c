use crate::cpu::shared::activation::activation;
use crate::plan::ActivationForward;

/// Twin of `activation_forward.wgsl`: `hidden` is (rows, h) or (rows, h | g), `out` (rows, h). Equal to 1e-5 relative
/// and 1e-6 absolute: WGSL's tanh and exp are looser than the processor's.
pub(super) fn activation_forward(p: &ActivationForward, hidden: &[f32], out: &mut [f32]) {
    let columns = 4 * p.columns as usize;
    let stride = columns * (1 + p.gated as usize);
    for row in 0..p.rows as usize {
        let (left, right) = hidden[row * stride..][..stride].split_at(columns);
        for (i, out) in out[row * columns..][..columns].iter_mut().enumerate() {
            *out = if p.gated == 1 { left[i] * activation(p.kind, right[i]) } else { activation(p.kind, left[i]) };
        }
    }
}

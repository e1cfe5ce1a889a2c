use crate::cpu::shared::activation::activate;
use crate::plan::GatedActivation;

/// Twin of `gated_activation.wgsl`: `hidden` is (rows, h | gate) and becomes (rows, silu(gate) | h silu'(gate)), `out`
/// (rows, h). Equal to 1e-5 relative and 1e-6 absolute: WGSL's exp is looser than the processor's.
pub(super) fn gated_activation(p: &GatedActivation, hidden: &mut [f32], out: &mut [f32]) {
    let columns = 4 * p.columns as usize;
    for row in 0..p.rows as usize {
        let (left, right) = hidden[row * 2 * columns..][..2 * columns].split_at_mut(columns);
        for ((h, gate), out) in left.iter_mut().zip(right).zip(&mut out[row * columns..][..columns]) {
            let (value, slope) = activate(p.kind, *gate);
            *out = *h * value;
            *gate = *h * slope;
            *h = value;
        }
    }
}

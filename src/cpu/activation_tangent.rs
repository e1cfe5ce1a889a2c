use crate::cpu::shared::activation::{activation, activation_slope};
use crate::plan::ActivationTangent;

/// Twin of `activation_tangent.wgsl`: `hidden` is (rows, h) or (rows, h | g), `tangent` the same in each direction,
/// `out` (directions, rows, h). Equal to 1e-5 of the largest value.
pub(super) fn activation_tangent(
    p: &ActivationTangent,
    hidden: &[f32],
    tangent: &[f32],
    out: &mut [f32],
    directions: u32,
) {
    let (rows, columns) = (p.rows as usize, 4 * p.columns as usize);
    let stride = columns * (1 + p.gated as usize);
    for moving in 0..directions as usize * rows {
        let (left, right) = hidden[moving % rows * stride..][..stride].split_at(columns);
        let (d_left, d_right) = tangent[moving * stride..][..stride].split_at(columns);
        for (i, out) in out[moving * columns..][..columns].iter_mut().enumerate() {
            *out = if p.gated == 1 {
                d_left[i] * activation(p.kind, right[i]) + d_right[i] * left[i] * activation_slope(p.kind, right[i])
            } else {
                d_left[i] * activation_slope(p.kind, left[i])
            };
        }
    }
}

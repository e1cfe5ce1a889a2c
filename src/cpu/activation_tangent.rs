use crate::plan::ActivationTangent;

/// Twin of `activation_tangent.wgsl`: `slopes` is (rows, h) or (rows, h | gate), `tangent` the same in each direction,
/// `out` (directions, rows, h). Equal to 1e-5 of the largest value.
pub(super) fn activation_tangent(
    p: &ActivationTangent,
    slopes: &[f32],
    tangent: &[f32],
    out: &mut [f32],
    directions: u32,
) {
    let (rows, columns) = (p.rows as usize, 4 * p.columns as usize);
    let stride = columns * (1 + p.gated as usize);
    for moving in 0..directions as usize * rows {
        let slopes = &slopes[moving % rows * stride..][..stride];
        let tangent = &tangent[moving * stride..][..stride];
        for (i, out) in out[moving * columns..][..columns].iter_mut().enumerate() {
            let part = |i: usize| tangent[i] * slopes[i];
            *out = if p.gated == 1 { part(i) + part(i + columns) } else { part(i) };
        }
    }
}

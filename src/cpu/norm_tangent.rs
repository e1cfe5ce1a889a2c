use crate::cpu::shared::norm::norm_gradient;
use crate::plan::NormTangent;

/// Twin of `norm_tangent.wgsl`: `tangent` and `out` are (directions, rows, d), `normed` (rows, d), `scale` (rows).
/// Equal to 1e-5 of a row's largest value times its scale.
pub(super) fn norm_tangent(
    p: &NormTangent,
    tangent: &[f32],
    normed: &[f32],
    scale: &[f32],
    out: &mut [f32],
    directions: u32,
) {
    let (rows, stride, width) = (p.rows as usize, 4 * p.stride as usize, p.width as usize);
    for moving in 0..directions as usize * rows {
        let row = moving % rows;
        let out = &mut out[moving * stride..][..stride];
        out.copy_from_slice(&tangent[moving * stride..][..stride]);
        let y: Vec<f32> = normed[row * stride..][..width].iter().map(|y| y / p.gain).collect();
        norm_gradient(p.kind, &mut out[..width], &y, p.width, scale[row]);
        out[..width].iter_mut().for_each(|out| *out *= p.gain);
    }
}

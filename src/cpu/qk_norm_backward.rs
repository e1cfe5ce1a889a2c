use crate::cpu::shared::norm::norm_gradient;
use crate::plan::QkNormBackward;

/// Twin of `qk_norm_backward.wgsl`: `qkv` is (rows, q | k | v), `qkv_grad` as many times that, `scale` (rows, 2,
/// segments). Equal to 1e-5 of a segment's largest value times its scale.
pub(super) fn qk_norm_backward(p: &QkNormBackward, qkv: &[f32], scale: &[f32], qkv_grad: &mut [f32], count: u32) {
    const RMS_NORM: u32 = 1;
    let (part, segments, segment) = (4 * p.stride as usize, p.segments as usize, p.segment as usize);
    for grad_row in 0..(count * p.rows) as usize {
        let row = grad_row % p.rows as usize;
        for part_index in 0..2 {
            let values = &qkv[(3 * row + part_index) * part..][..segments * segment];
            let grads = &mut qkv_grad[(3 * grad_row + part_index) * part..][..segments * segment];
            let scales = &scale[(2 * row + part_index) * segments..][..segments];
            let values = values.chunks_exact(segment).zip(scales);
            for (grads, (values, scale)) in grads.chunks_exact_mut(segment).zip(values) {
                norm_gradient(RMS_NORM, grads, values, p.features, *scale);
            }
        }
    }
}

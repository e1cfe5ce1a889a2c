use crate::cpu::shared::norm::normalise;
use crate::plan::QkNormForward;

/// Twin of `qk_norm_forward.wgsl`: `qkv` is (rows, q | k | v), `scale` (rows, 2, segments). Equal to 1e-5 of a
/// segment's largest value.
pub(super) fn qk_norm_forward(p: &QkNormForward, qkv: &mut [f32], scale: &mut [f32]) {
    const RMS_NORM: u32 = 1;
    let (part, segments, segment) = (4 * p.stride as usize, p.segments as usize, p.segment as usize);
    for row in 0..p.rows as usize {
        for part_index in 0..2 {
            let values = &mut qkv[(3 * row + part_index) * part..][..segments * segment];
            let scales = &mut scale[(2 * row + part_index) * segments..][..segments];
            for (values, scale) in values.chunks_exact_mut(segment).zip(scales) {
                *scale = normalise(RMS_NORM, values, p.features, p.epsilon);
            }
        }
    }
}

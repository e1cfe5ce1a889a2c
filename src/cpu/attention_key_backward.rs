use crate::plan::AttentionKeyBackward;

/// Twin of `attention_key_backward.wgsl`: `qkv` and `qkv_grad` are (B T, q | k | v), `out_grad` (B T, d), `scores`
/// (2, B, H, T, T). Equal to 1e-5 of the largest value.
pub(super) fn attention_key_backward(
    p: &AttentionKeyBackward,
    qkv: &[f32],
    out_grad: &[f32],
    scores: &[f32],
    qkv_grad: &mut [f32],
) {
    let (tokens, heads, k) = (p.tokens as usize, p.heads as usize, p.head_width as usize);
    let part = 4 * p.stride as usize;
    let half = p.batch as usize * heads * tokens * tokens;
    for sequence in 0..p.batch as usize {
        for head in 0..heads {
            for key in 0..tokens {
                let (mut dk, mut dv) = (vec![0f32; k], vec![0f32; k]);
                let first = if p.causal == 1 { key } else { 0 };
                for query in first..tokens {
                    let row = sequence * tokens + query;
                    let at = ((sequence * heads + head) * tokens + query) * tokens + key;
                    let q = &qkv[row * 3 * part + head * k..][..k];
                    for (dk, q) in dk.iter_mut().zip(q) {
                        *dk += scores[half + at] * q;
                    }
                    for (dv, grad) in dv.iter_mut().zip(&out_grad[row * part + head * k..][..k]) {
                        *dv += scores[at] * grad;
                    }
                }
                let at = (sequence * tokens + key) * 3 * part + part + head * k;
                qkv_grad[at..][..k].copy_from_slice(&dk);
                qkv_grad[at + part..][..k].copy_from_slice(&dv);
            }
        }
    }
}

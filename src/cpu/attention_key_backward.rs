use crate::cpu::shared::attention::sizes;
use crate::plan::AttentionKeyBackward;

/// Twin of `attention_key_backward.wgsl`: `q` is (B T, H, k), `out_grad` (cotangents, B T, H, k), `inverse` (B, H,
/// ceil(T / 4), 4), `probabilities` (B, H, ceil(T / 4), T, 4), `score_grad` (cotangents, ...) the same, `kv_grad`
/// (cotangents, B T, k | v). Equal to 1e-5 of the largest value.
#[expect(clippy::too_many_arguments, reason = "they are the shader's bindings, in its order")]
pub(super) fn attention_key_backward(
    p: &AttentionKeyBackward,
    q: &[f32],
    out_grad: &[f32],
    inverse: &[f32],
    probabilities: &[f32],
    score_grad: &[f32],
    kv_grad: &mut [f32],
    moving_sequences: u32,
) {
    let sizes = sizes!(p);
    let (mut dk, mut dv) = (vec![0f32; sizes.head], vec![0f32; sizes.head]);
    for moving in 0..moving_sequences as usize {
        let sequence = moving % p.sequences as usize;
        for head in 0..sizes.heads {
            for key in 0..sizes.tokens {
                dk.fill(0.0);
                dv.fill(0.0);
                let first = if sizes.causal { key } else { 0 };
                for query in first..sizes.tokens {
                    let a = probabilities[sizes.scores(sequence, head, query) + 4 * key]
                        * inverse[sizes.of_query(sequence, head, query)];
                    let ds = score_grad[sizes.scores(moving, head, query) + 4 * key];
                    let q = &q[(sequence * sizes.tokens + query) * sizes.q_stride + head * sizes.head..][..sizes.head];
                    for (dk, q) in dk.iter_mut().zip(q) {
                        *dk += ds * q;
                    }
                    for (dv, grad) in dv
                        .iter_mut()
                        .zip(&out_grad[(moving * sizes.tokens + query) * sizes.part() + head * sizes.head..])
                    {
                        *dv += a * grad;
                    }
                }
                let at = (moving * sizes.tokens + key) * sizes.kv_stride + head * sizes.head;
                kv_grad[at..][..sizes.head].copy_from_slice(&dk);
                kv_grad[at + sizes.part()..][..sizes.head].copy_from_slice(&dv);
            }
        }
    }
}

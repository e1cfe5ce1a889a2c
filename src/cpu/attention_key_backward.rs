use crate::cpu::shared::attention::sizes;
use crate::plan::AttentionKeyBackward;

/// Twin of `attention_key_backward.wgsl`: `q` and `out_grad` are (B T, H, k), `probabilities` and `score_grad`
/// (B, H, ceil(T / 4), T, 4), `kv_grad` (B T, k | v). Equal to 1e-5 of the largest value.
pub(super) fn attention_key_backward(
    p: &AttentionKeyBackward,
    q: &[f32],
    out_grad: &[f32],
    probabilities: &[f32],
    score_grad: &[f32],
    kv_grad: &mut [f32],
    batch: u32,
) {
    let sizes = sizes!(p);
    let (mut dk, mut dv) = (vec![0f32; sizes.head], vec![0f32; sizes.head]);
    for sequence in 0..batch as usize {
        for head in 0..sizes.heads {
            for key in 0..sizes.tokens {
                dk.fill(0.0);
                dv.fill(0.0);
                let first = if sizes.causal { key } else { 0 };
                for query in first..sizes.tokens {
                    let row = sequence * sizes.tokens + query;
                    let at = sizes.scores(sequence, head, query) + 4 * key;
                    let q = &q[row * sizes.q_stride + head * sizes.head..][..sizes.head];
                    for (dk, q) in dk.iter_mut().zip(q) {
                        *dk += score_grad[at] * q;
                    }
                    for (dv, grad) in dv.iter_mut().zip(&out_grad[row * sizes.part() + head * sizes.head..]) {
                        *dv += probabilities[at] * grad;
                    }
                }
                let at = (sequence * sizes.tokens + key) * sizes.kv_stride + head * sizes.head;
                kv_grad[at..][..sizes.head].copy_from_slice(&dk);
                kv_grad[at + sizes.part()..][..sizes.head].copy_from_slice(&dv);
            }
        }
    }
}

use crate::cpu::shared::attention::sizes;
use crate::plan::AttentionQueryBackward;

/// Twin of `attention_query_backward.wgsl`: `kv` is (B T, k | v), `out_grad` and `q_grad` (cotangents, B T,
/// H, k), `inverse` (B, H, ceil(T / 4), 4), `probabilities` (B, H, ceil(T / 4), T, 4), `score_grad` (cotangents, ...) the
/// same. Equal to 1e-5 of the largest value.
#[expect(clippy::too_many_arguments, reason = "they are the shader's bindings, in its order")]
pub(super) fn attention_query_backward(
    p: &AttentionQueryBackward,
    kv: &[f32],
    out_grad: &[f32],
    inverse: &[f32],
    probabilities: &[f32],
    score_grad: &mut [f32],
    q_grad: &mut [f32],
    moving_sequences: u32,
) {
    let sizes = sizes!(p);
    for moving in 0..moving_sequences as usize {
        let sequence = moving % p.sequences as usize;
        for head in 0..sizes.heads {
            let key = |token: usize| (sequence * sizes.tokens + token) * sizes.kv_stride + head * sizes.head;
            let value = |token: usize| key(token) + sizes.part();
            let (first_key, first_value) = (&kv[key(0)..][..sizes.head], &kv[value(0)..][..sizes.head]);
            for query in 0..sizes.queries() {
                let row = moving * sizes.tokens + query.min(sizes.tokens - 1);
                let out_grad = &out_grad[row * sizes.part() + head * sizes.head..][..sizes.head];
                let factor = inverse[sizes.of_query(sequence, head, query)];
                let at = sizes.scores(sequence, head, query);
                let grads = sizes.scores(moving, head, query);
                let mut mean = 0.0;
                for j in 0..sizes.places(query) {
                    let values = kv[value(j)..][..sizes.head].iter().zip(first_value);
                    let grad = out_grad.iter().zip(values).map(|(d, (v, first))| d * (v - first)).sum();
                    let grad = if j < sizes.seen(query) { grad } else { 0.0 };
                    score_grad[grads + 4 * j] = grad;
                    mean += probabilities[at + 4 * j] * factor * grad;
                }
                for j in 0..sizes.places(query) {
                    let score_grad = &mut score_grad[grads + 4 * j];
                    *score_grad = probabilities[at + 4 * j] * factor * (*score_grad - mean) * p.score_scale;
                }
                if query >= sizes.tokens {
                    continue;
                }
                let q_grad = &mut q_grad[row * sizes.q_stride + head * sizes.head..][..sizes.head];
                q_grad.fill(0.0);
                for j in 0..sizes.places(query) {
                    let keys = kv[key(j)..][..sizes.head].iter().zip(first_key);
                    for (q_grad, (key, first)) in q_grad.iter_mut().zip(keys) {
                        *q_grad += score_grad[grads + 4 * j] * (key - first);
                    }
                }
            }
        }
    }
}

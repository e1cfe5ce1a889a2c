use crate::plan::AttentionQueryBackward;

/// Twin of `attention_query_backward.wgsl`: `qkv` and `qkv_grad` are (B T, q | k | v), `stats` (B, H, T, 2), `out_grad`
/// (B T, d), `scores` (2, B, H, T, T). Equal to 1e-5 of the largest value, and to what the scores' own rounding does to
/// their exponentials.
pub(super) fn attention_query_backward(
    p: &AttentionQueryBackward,
    qkv: &[f32],
    stats: &[f32],
    out_grad: &[f32],
    scores: &mut [f32],
    qkv_grad: &mut [f32],
) {
    let (tokens, heads, k) = (p.tokens as usize, p.heads as usize, p.head_width as usize);
    let part = 4 * p.stride as usize;
    let half = p.batch as usize * heads * tokens * tokens;
    let mut row_grads = vec![0f32; tokens];
    for sequence in 0..p.batch as usize {
        for head in 0..heads {
            let at =
                |part_index: usize, token: usize| (sequence * tokens + token) * 3 * part + part_index * part + head * k;
            let (first_key, first_value) = (&qkv[at(1, 0)..][..k], &qkv[at(2, 0)..][..k]);
            for query in 0..tokens {
                let seen = if p.causal == 1 { query + 1 } else { tokens };
                let q = &qkv[at(0, query)..][..k];
                let out_grad = &out_grad[(sequence * tokens + query) * part + head * k..][..k];
                let row = (sequence * heads + head) * tokens + query;
                let (row_max, inverse) = (stats[2 * row], stats[2 * row + 1]);
                let (probabilities, grads) = scores.split_at_mut(half);
                let probabilities = &mut probabilities[row * tokens..][..tokens];
                let grads = &mut grads[row * tokens..][..tokens];
                probabilities.fill(0.0);
                grads.fill(0.0);
                let mut mean = 0.0;
                for j in 0..seen {
                    let score: f32 = q.iter().zip(&qkv[at(1, j)..][..k]).map(|(q, k)| q * k).sum();
                    let value = &qkv[at(2, j)..][..k];
                    let values = value.iter().zip(first_value);
                    let grad = out_grad.iter().zip(values).map(|(d, (v, first))| d * (v - first)).sum();
                    probabilities[j] = (score * p.score_scale - row_max).max(-100.0).exp() * inverse;
                    row_grads[j] = grad;
                    mean += probabilities[j] * grad;
                }
                let qkv_row = &mut qkv_grad[(sequence * tokens + query) * 3 * part..][..3 * part];
                if head == heads - 1 {
                    for part_grad in qkv_row.chunks_exact_mut(part) {
                        part_grad[heads * k..].fill(0.0);
                    }
                }
                let q_grad = &mut qkv_row[head * k..][..k];
                q_grad.fill(0.0);
                for j in 0..seen {
                    grads[j] = probabilities[j] * (row_grads[j] - mean) * p.score_scale;
                    let keys = qkv[at(1, j)..][..k].iter().zip(first_key);
                    for (q_grad, (key, first)) in q_grad.iter_mut().zip(keys) {
                        *q_grad += grads[j] * (key - first);
                    }
                }
            }
        }
    }
}

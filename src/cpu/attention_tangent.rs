use crate::cpu::shared::attention::sizes;
use crate::plan::AttentionTangent;

/// Twin of `attention_tangent.wgsl`: `q` is (B T, H, k), `kv` (B T, k | v), their tangents (2, B T, ...), `inverse`
/// (B, H, ceil(T / 4), 4), `probabilities` (B, H, ceil(T / 4), T, 4), `score_tangent` (2, ...) the same, `out`
/// (2, B T, H, k). Equal to 1e-5 of the largest value.
#[expect(clippy::too_many_arguments, reason = "they are the shader's bindings, in its order")]
pub(super) fn attention_tangent(
    p: &AttentionTangent,
    q: &[f32],
    kv: &[f32],
    q_tangent: &[f32],
    kv_tangent: &[f32],
    inverse: &[f32],
    probabilities: &[f32],
    score_tangent: &mut [f32],
    out: &mut [f32],
    moving_sequences: u32,
) {
    let sizes = sizes!(p);
    let mut a = vec![0f32; sizes.tokens];
    for moving in 0..moving_sequences as usize {
        let sequence = moving % p.sequences as usize;
        for head in 0..sizes.heads {
            let column = head * sizes.head;
            let key = |token: usize| &kv[(sequence * sizes.tokens + token) * sizes.kv_stride + column..];
            let key_tangent = |token: usize| &kv_tangent[(moving * sizes.tokens + token) * sizes.kv_stride + column..];
            let (first_key, first_tangent) = (&key(0)[..sizes.head], &key_tangent(0)[..sizes.head]);
            let first_value = &key(0)[sizes.part()..][..sizes.head];
            for query in 0..sizes.queries() {
                let token = query.min(sizes.tokens - 1);
                let q = &q[(sequence * sizes.tokens + token) * sizes.q_stride + column..][..sizes.head];
                let dq = &q_tangent[(moving * sizes.tokens + token) * sizes.q_stride + column..][..sizes.head];
                let factor = inverse[sizes.of_query(sequence, head, query)];
                let (at, of_tangents) = (sizes.scores(sequence, head, query), sizes.scores(moving, head, query));
                let mut mean = 0.0;
                for (j, a) in a.iter_mut().enumerate().take(sizes.places(query)) {
                    let mut product = 0.0;
                    for i in 0..sizes.head {
                        product += dq[i] * (key(j)[i] - first_key[i]) + q[i] * (key_tangent(j)[i] - first_tangent[i]);
                    }
                    let ds = if j < sizes.seen(query) { product * p.score_scale } else { 0.0 };
                    *a = probabilities[at + 4 * j] * factor;
                    score_tangent[of_tangents + 4 * j] = ds;
                    mean += *a * ds;
                }
                for (j, a) in a.iter().enumerate().take(sizes.places(query)) {
                    let place = of_tangents + 4 * j;
                    score_tangent[place] = a * (score_tangent[place] - mean);
                }
                if query >= sizes.tokens {
                    continue;
                }
                let out = &mut out[(moving * sizes.tokens + token) * sizes.part() + column..][..sizes.head];
                out.fill(0.0);
                for (j, a) in a.iter().enumerate().take(sizes.places(query)) {
                    let da = score_tangent[of_tangents + 4 * j];
                    let (values, tangents) = (&key(j)[sizes.part()..], &key_tangent(j)[sizes.part()..]);
                    for (i, out) in out.iter_mut().enumerate() {
                        *out += da * (values[i] - first_value[i]) + a * tangents[i];
                    }
                }
            }
        }
    }
}

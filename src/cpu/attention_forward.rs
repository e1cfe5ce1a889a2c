use crate::cpu::SquareSum;
use crate::cpu::shared::attention::sizes;
use crate::plan::AttentionForward;

/// Twin of `attention_forward.wgsl`: `q` and `out` are (B T, H, k), `kv` (B T, k | v), `probabilities`
/// (B, H, ceil(T / 4), T, 4), `inverse` (B, H, ceil(T / 4), 4), `partials` (B, H, ceil(T / 4)). Equal to 1e-5 of the largest value, and to what the
/// scores' own rounding does to their exponentials.
#[expect(clippy::too_many_arguments, reason = "they are the shader's bindings, in its order")]
pub(super) fn attention_forward(
    p: &AttentionForward,
    q: &[f32],
    kv: &[f32],
    out: &mut [f32],
    probabilities: &mut [f32],
    inverse: &mut [f32],
    partials: &mut [SquareSum],
    batch: u32,
) {
    let sizes = sizes!(p);
    let mut scores = vec![0f32; sizes.tokens];
    for sequence in 0..batch as usize {
        for head in 0..sizes.heads {
            let key = |token: usize| (sequence * sizes.tokens + token) * sizes.kv_stride + head * sizes.head;
            for query in 0..sizes.queries() {
                let scores = &mut scores[..sizes.seen(query)];
                let row = sequence * sizes.tokens + query.min(sizes.tokens - 1);
                let q = &q[row * sizes.q_stride + head * sizes.head..][..sizes.head];
                let mut row_max = -3.0e38f32;
                let mut finite = true;
                let mut largest = 0f32;
                for (j, score) in scores.iter_mut().enumerate() {
                    let product: f32 = q.iter().zip(&kv[key(j)..][..sizes.head]).map(|(q, k)| q * k).sum();
                    *score = product * p.score_scale;
                    finite &= score.is_finite();
                    row_max = row_max.max(*score);
                    largest = largest.max(score.abs());
                }
                let (mut sum, mut weighted) = (0f32, 0f32);
                for score in scores.iter_mut() {
                    let below = (*score - row_max).max(-100.0);
                    *score = below.exp();
                    sum += *score;
                    weighted += *score * below;
                }
                let factor = match (finite, sum == 0.0) {
                    (false, _) => f32::from_bits(p.nan_bits),
                    (true, true) => 0.0,
                    (true, false) => 1.0 / sum,
                };
                let place = sizes.of_query(sequence, head, query);
                inverse[place] = factor;
                if query % 4 == 0 {
                    partials[place / 4] = SquareSum::default();
                }
                let entropy = if sum == 0.0 { 0.0 } else { sum.ln() - weighted / sum };
                partials[place / 4].merge(&SquareSum {
                    middle: entropy,
                    max_bits: if finite { largest.to_bits() } else { p.nan_bits },
                    ..SquareSum::default()
                });
                let at = sizes.scores(sequence, head, query);
                for j in 0..sizes.places(query) {
                    probabilities[at + 4 * j] = scores.get(j).copied().unwrap_or(0.0);
                }
                if query >= sizes.tokens {
                    continue;
                }
                let out = &mut out[row * sizes.part() + head * sizes.head..][..sizes.head];
                out.fill(0.0);
                for (j, e) in scores.iter().enumerate() {
                    for (out, v) in out.iter_mut().zip(&kv[key(j) + sizes.part()..][..sizes.head]) {
                        *out += e * v;
                    }
                }
                for out in out {
                    *out *= factor;
                }
            }
        }
    }
}

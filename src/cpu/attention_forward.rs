use crate::plan::AttentionForward;

/// Twin of `attention_forward.wgsl`: `qkv` is (B T, q | k | v), `out` (B T, d), `stats` (B, H, T, 2). Equal to 1e-5 of
/// the largest value, and to what the scores' own rounding does to their exponentials.
pub(super) fn attention_forward(p: &AttentionForward, qkv: &[f32], out: &mut [f32], stats: &mut [f32], batch: u32) {
    let (tokens, heads, k) = (p.tokens as usize, p.heads as usize, p.head_width as usize);
    let part = 4 * p.stride as usize;
    let mut probabilities = vec![0f32; tokens];
    for sequence in 0..batch as usize {
        for head in 0..heads {
            let at =
                |part_index: usize, token: usize| (sequence * tokens + token) * 3 * part + part_index * part + head * k;
            for query in 0..tokens {
                let seen = if p.causal == 1 { query + 1 } else { tokens };
                let q = &qkv[at(0, query)..][..k];
                let probabilities = &mut probabilities[..seen];
                let mut row_max = -3.0e38f32;
                let mut finite = true;
                for (j, score) in probabilities.iter_mut().enumerate() {
                    let product: f32 = q.iter().zip(&qkv[at(1, j)..][..k]).map(|(q, k)| q * k).sum();
                    *score = product * p.score_scale;
                    finite &= score.is_finite();
                    row_max = row_max.max(*score);
                }
                let mut sum = 0.0;
                for score in probabilities.iter_mut() {
                    *score = (*score - row_max).max(-100.0).exp();
                    sum += *score;
                }
                let inverse = if finite { 1.0 / sum } else { f32::from_bits(p.nan_bits) };
                let row = (sequence * heads + head) * tokens + query;
                stats[2 * row] = row_max;
                stats[2 * row + 1] = inverse;
                let out = &mut out[(sequence * tokens + query) * part..][..part];
                if head == heads - 1 {
                    out[heads * k..].fill(0.0);
                }
                let out = &mut out[head * k..][..k];
                out.fill(0.0);
                for (j, probability) in probabilities.iter().enumerate() {
                    for (out, v) in out.iter_mut().zip(&qkv[at(2, j)..][..k]) {
                        *out += probability * v;
                    }
                }
                for out in out {
                    *out *= inverse;
                }
            }
        }
    }
}

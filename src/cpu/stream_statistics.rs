use crate::cpu::SquareSum;
use crate::plan::StreamStatistics;

/// Twin of `stream_statistics.wgsl`: `x` is (states, B, T, d), `results` (states, B, 3). Equal to 1e-5.
pub(super) fn stream_statistics(p: &StreamStatistics, x: &[f32], results: &mut [SquareSum], states: u32) {
    let (tokens, width) = (p.tokens as usize, 4 * p.stride as usize);
    for state in 0..states as usize {
        for sequence in 0..p.batch as usize {
            let from = 4 * state * p.state_stride as usize + sequence * tokens * width;
            let x = &x[from..][..tokens * width];
            let first = &x[..width];
            let mut mean = vec![0f32; width];
            for row in x.chunks_exact(width) {
                for ((mean, x), first) in mean.iter_mut().zip(row).zip(first) {
                    *mean += (x - first) / tokens as f32;
                }
            }
            let mut spread = SquareSum::default();
            let mut units = Vec::with_capacity(x.len());
            for row in x.chunks_exact(width) {
                for ((x, first), mean) in row.iter().zip(first).zip(&mean) {
                    spread.add(x - first - mean);
                }
                let largest = row.iter().fold(0f32, |max, x| max.max(x.abs()));
                let exponent = (largest.to_bits() & 0x7f80_0000).clamp(0x0080_0000, 0x7e80_0000);
                let unit = f32::from_bits(0x7f00_0000 - exponent);
                let sum: f32 = row.iter().map(|x| (x * unit).powi(2)).sum();
                let factor = if sum > 0.0 { 1.0 / sum.sqrt() } else { 0.0 };
                units.extend(row.iter().map(|x| x * unit * factor));
            }
            let cosine: f32 = (0..width)
                .map(|feature| {
                    let of_tokens = units.iter().skip(feature).step_by(width);
                    let (sum, own) = of_tokens.fold((0f32, 0f32), |(sum, own), u| (sum + u, own + u * u));
                    sum * sum - own
                })
                .sum();
            let at = 3 * (state * p.batch as usize + sequence);
            results[at] = SquareSum::of(x);
            results[at + 1] = spread;
            results[at + 2] = SquareSum { small: cosine, ..SquareSum::default() };
        }
    }
}

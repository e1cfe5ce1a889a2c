use crate::cpu::SquareSum;
use crate::model::random::pcg4d;
use crate::plan::CrossEntropy;

/// Twin of `cross_entropy.wgsl`: `logits` is (rows, V), `partials` (rows). Equal to 1e-5 of a row's largest value.
pub(super) fn cross_entropy(p: &CrossEntropy, logits: &mut [f32], partials: &mut [SquareSum]) {
    let (classes, stride) = (p.classes as usize, 4 * p.stride as usize);
    for row in 0..p.rows {
        let words = pcg4d(row / 4, p.tensor, p.layer, p.seed);
        let target = (words[row as usize % 4] % p.classes) as usize;
        let logits = &mut logits[row as usize * stride..][..classes];
        let row_max = logits.iter().fold(-3.0e38f32, |max, x| max.max(*x));
        let sum: f32 = logits.iter().map(|x| (x - row_max).max(-100.0).exp()).sum();
        let mut loss = sum.ln() + (row_max - logits[target]);
        let mut factor = 1.0 / (sum * p.rows as f32);
        if !logits.iter().all(|x| x.is_finite()) {
            loss = f32::from_bits(p.nan_bits);
            factor = loss;
        }
        for x in logits.iter_mut() {
            *x = (*x - row_max).max(-100.0).exp() * factor;
        }
        logits[target] -= 1.0 / p.rows as f32;
        partials[row as usize] =
            SquareSum { small: 0.0, middle: loss, big: 0.0, max_bits: loss.to_bits() & 0x7fff_ffff };
    }
}

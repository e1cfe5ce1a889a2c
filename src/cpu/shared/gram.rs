//! Twin of `shaders/shared/gram.wgsl`.

use super::square_sum::SquareSum;

/// What the product of two gradients counts.
pub(in crate::cpu) const SCALE: f32 = 1_099_511_627_776.0;

/// The square sum that the sums over tiles of pairs make, where there are any and they can be believed.
pub(in crate::cpu) fn resolved(tiles: &[f32]) -> Option<SquareSum> {
    let [mut sum, mut diagonal, mut lost] = [0f32; 3];
    for tile in tiles.chunks_exact(4) {
        sum += tile[0];
        diagonal += tile[1];
        lost += tile[2];
    }
    let finite = [sum, diagonal, lost].into_iter().all(f32::is_finite);
    let known = finite && sum >= 1e-4 * diagonal && diagonal >= 2f32.powi(-72) && diagonal >= 2f32.powi(27) * lost;
    known.then(|| SquareSum {
        middle: sum / SCALE,
        max_bits: (diagonal / SCALE).sqrt().to_bits(),
        ..SquareSum::default()
    })
}

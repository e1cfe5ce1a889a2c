// Sums over pairs of rows, (x_i . x_j) (g_i . g_j) with gradients times 2^20: of all pairs, of the pairs (i, i), and what
// products under the smallest normal number may have taken from the first; and 1 for each tile of pairs.
#import square_sum

const GRAM_SCALE = 1.099511627776e12; // 2^40, of a square

// Whether the sum can be believed. Products of pairs do not cancel before they are squared, as the gradient's own do:
// rounding leaves a share of the second sum in the first. What is not finite, zero or near the ends of the range is left to
// the gradients too; no pair exceeds the largest pair (i, i).
fn is_resolved(gram: vec4<f32>) -> bool {
    let exponents = bitcast<vec3<u32>>(gram.xyz) & vec3<u32>(0x7f800000u);
    let finite = max(max(exponents.x, exponents.y), exponents.z) < 0x7f800000u;
    // 2^-72, and 2^27 of what may be lost.
    return finite && gram.x >= 1e-4 * gram.y && gram.y >= 2.1175823681357508e-22 && gram.y >= 1.34217728e8 * gram.z;
}

// In place of a largest value the root of the second sum, which the first one's rounding errors go with.
fn square_sum_of_gram(gram: vec4<f32>) -> SquareSum {
    let scale = 1.0 / GRAM_SCALE;
    return SquareSum(0.0, gram.x * scale, 0.0, bitcast<u32>(sqrt(gram.y * scale)));
}

// Sums of squares that neither overflow nor underflow while the root fits f32: Blue's three accumulators (ACM TOMS 4(1),
// 1978). `max_bits` is the largest absolute value as bits, which keeps their order and tells NaN and infinity.

struct SquareSum {
    small: f32, // of (x 2^90)^2, |x| < 2^-60
    middle: f32,
    big: f32, // of (x 2^-100)^2, |x| > 2^50
    max_bits: u32,
}

// Without branches: where lanes diverge, a device goes both ways.
fn add_squares(sum: ptr<function, SquareSum>, x: vec4<f32>) {
    let bits = bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu);
    let is_small = bits < vec4<u32>(0x21800000u);
    let is_big = bits > vec4<u32>(0x58800000u);
    let small = select(vec4<f32>(0.0), x * 1.2379400392853803e27, is_small);
    let middle = select(x, vec4<f32>(0.0), is_small | is_big);
    let big = select(vec4<f32>(0.0), x * 7.8886091e-31, is_big & (bits < vec4<u32>(0x7f800000u)));
    (*sum).small += dot(small, small);
    (*sum).middle += dot(middle, middle);
    (*sum).big += dot(big, big);
    (*sum).max_bits = max((*sum).max_bits, max(max(bits.x, bits.y), max(bits.z, bits.w)));
}

// Absolute values as bits.
fn magnitudes(x: vec4<f32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu);
}

fn largest_of(bits: vec4<u32>) -> u32 {
    return max(max(bits.x, bits.y), max(bits.z, bits.w));
}

// A power of two near one over the value of which these are the bits, so that scaling with it is exact; of a unit the
// value's own power of two.
fn unit_of(bits: u32) -> f32 {
    return bitcast<f32>(0x7f000000u - clamp(bits & 0x7f800000u, 0x00800000u, 0x7e800000u));
}

// Many squares at once: their sum in units that came from a largest value, and the largest of them as bits. It costs less
// than the accumulators do for each.
fn add_squares_in_units(sum: ptr<function, SquareSum>, squares: f32, unit: f32, max_bits: u32) {
    let one = unit_of(bitcast<u32>(unit));
    // Past 2^50 it is big, however far.
    let root = sqrt(squares) * min(one, 1.2676506e30);
    let is_small = root < 8.673617379884035e-19;
    let is_big = root > 1.125899906842624e15;
    let factor = one * select(select(1.0, 7.8886091e-31, is_big), 1.2379400392853803e27, is_small);
    let value = select(0.0, squares * factor * factor, max_bits < 0x7f800000u);
    (*sum).small += select(0.0, value, is_small);
    (*sum).middle += select(value, 0.0, is_small || is_big);
    (*sum).big += select(0.0, value, is_big);
    (*sum).max_bits = max((*sum).max_bits, max_bits);
}

fn merge_square_sums(sum: ptr<function, SquareSum>, packed: vec4<u32>) {
    (*sum).small += bitcast<f32>(packed.x);
    (*sum).middle += bitcast<f32>(packed.y);
    (*sum).big += bitcast<f32>(packed.z);
    (*sum).max_bits = max((*sum).max_bits, packed.w);
}

fn pack_square_sum(sum: SquareSum) -> vec4<u32> {
    return vec4<u32>(bitcast<u32>(sum.small), bitcast<u32>(sum.middle), bitcast<u32>(sum.big), sum.max_bits);
}

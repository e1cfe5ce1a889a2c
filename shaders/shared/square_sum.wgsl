// Sums of squares that neither overflow nor underflow while the root fits f32: Blue's three accumulators (ACM TOMS 4(1),
// 1978). `max_bits` is the largest absolute value as bits, which keeps their order and tells NaN and infinity.

struct SquareSum {
    small: f32, // of (x 2^90)^2, |x| < 2^-60
    middle: f32,
    big: f32, // of (x 2^-100)^2, |x| > 2^50
    max_bits: u32,
}

fn add_square(sum: ptr<function, SquareSum>, x: f32) {
    let bits = bitcast<u32>(x) & 0x7fffffffu;
    (*sum).max_bits = max((*sum).max_bits, bits);
    if bits >= 0x7f800000u {
        return;
    }
    if bits > 0x58800000u {
        let y = x * 7.8886091e-31;
        (*sum).big += y * y;
    } else if bits < 0x21800000u {
        let y = x * 1.2379400392853803e27;
        (*sum).small += y * y;
    } else {
        (*sum).middle += x * x;
    }
}

fn add_squares(sum: ptr<function, SquareSum>, x: vec4<f32>) {
    // One test for the common case keeps the loop short.
    let bits = bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu);
    if all(bits >= vec4<u32>(0x21800000u)) && all(bits <= vec4<u32>(0x58800000u)) {
        (*sum).middle += dot(x, x);
        (*sum).max_bits = max((*sum).max_bits, max(max(bits.x, bits.y), max(bits.z, bits.w)));
        return;
    }
    add_square(sum, x.x);
    add_square(sum, x.y);
    add_square(sum, x.z);
    add_square(sum, x.w);
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

//! Twin of `shaders/shared/random.wgsl`: the generator in single precision, equal on every device to a few ULP.

pub use crate::model::random::pcg4d;

/// `ln(n 2^-24)` for `n` in `1..=2^24`, fdlibm's `logf`.
#[must_use]
pub fn log_unit(n: u32) -> f32 {
    let bits = (n as f32).to_bits();
    let mut exponent = (bits >> 23) as i32 - 151;
    let mut mantissa = f32::from_bits((bits & 0x7f_ffff) | 0x3f80_0000);
    if mantissa > std::f32::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let f = mantissa - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let r = z * (0.666_666_6 + w * 0.284_987_87) + w * (0.400_009_72 + w * 0.242_790_79);
    let half_square = 0.5 * f * f;
    let k = exponent as f32;
    k * 0.693_138_1 - ((half_square - (s * (half_square + r) + k * 9.058_001e-6)) - f)
}

/// Cosine and sine of `n 2^-24` turns, `n < 2^24`: the angle is reduced exactly, then Cephes' polynomials.
#[must_use]
pub fn cos_sin_turns(n: u32) -> [f32; 2] {
    let quarter = (n + 0x20_0000) >> 22;
    let x = (n as i32 - (quarter << 22) as i32) as f32 * 3.745_070_4e-7;
    let z = x * x;
    let c = 1.0 - 0.5 * z + z * z * (4.166_664_6e-2 + z * (-1.388_731_6e-3 + z * 2.443_315_7e-5));
    let s = x + x * z * (-1.666_665_5e-1 + z * (8.332_161e-3 - z * 1.951_529_6e-4));
    match quarter & 3 {
        0 => [c, s],
        1 => [-s, c],
        2 => [-c, -s],
        _ => [s, -c],
    }
}

fn box_muller(w0: u32, w1: u32) -> [f32; 2] {
    let radius = (-2.0 * log_unit((w0 >> 8) + 1)).sqrt();
    cos_sin_turns(w1 >> 8).map(|x| radius * x)
}

/// Four standard normals.
#[must_use]
pub fn normals([x, y, z, w]: [u32; 4]) -> [f32; 4] {
    let ([a, b], [c, d]) = (box_muller(x, y), box_muller(z, w));
    [a, b, c, d]
}

/// Four uniforms in [-1, 1).
#[must_use]
pub fn uniforms(words: [u32; 4]) -> [f32; 4] {
    words.map(|word| (word >> 8) as f32 * f32::EPSILON - 1.0)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Units in the last place of f32 at `want` between the two.
    fn ulps(got: f32, want: f64) -> f64 {
        let exponent = (want.abs().max(f64::from(f32::MIN_POSITIVE)).log2().floor()) as i32;
        (f64::from(got) - want).abs() / 2f64.powi(exponent - 23)
    }

    #[test]
    fn the_logarithm_is_right_for_every_argument() {
        let worst = (1..=1u32 << 24).fold((0.0, 0), |worst: (f64, u32), n| {
            let error = ulps(log_unit(n), (f64::from(n) * 2f64.powi(-24)).ln());
            if error > worst.0 { (error, n) } else { worst }
        });
        assert!(worst.0 <= 1.5, "{worst:?}");
    }

    #[test]
    fn cosine_and_sine_are_right_for_every_argument() {
        for n in 0..1u32 << 24 {
            let (sin, cos) = (std::f64::consts::TAU * (f64::from(n) * 2f64.powi(-24))).sin_cos();
            let [c, s] = cos_sin_turns(n);
            // At the zeros the float64 values are off themselves, by 1e-16.
            let (cos_error, sin_error) = ((f64::from(c) - cos).abs(), (f64::from(s) - sin).abs());
            assert!(cos_error <= 2e-7 * cos.abs() + 1e-15, "cos of {n}: {c} instead of {cos}");
            assert!(sin_error <= 2e-7 * sin.abs() + 1e-15, "sin of {n}: {s} instead of {sin}");
        }
    }

    #[test]
    fn draws_are_those_of_the_float64_generator() {
        use crate::model::random::Stream;
        let stream = Stream { tensor: 13, layer: 7, seed: 3 };
        let (want_normals, want_uniforms) = (stream.normals(40_000), stream.uniforms(40_000));
        for group in 0..10_000 {
            let (got_normals, got_uniforms) = (normals(stream.words(group)), uniforms(stream.words(group)));
            for i in 0..4 {
                let at = 4 * group as usize + i;
                let error = ulps(got_normals[i], want_normals[at]);
                assert!(error <= 4.0, "normal {at}: {} instead of {}", got_normals[i], want_normals[at]);
                // These are exact.
                assert_eq!(f64::from(got_uniforms[i]), want_uniforms[at], "uniform {at}");
            }
        }
    }
}

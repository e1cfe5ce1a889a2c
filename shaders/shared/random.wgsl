// Counter-based random numbers, equal on every device to a few ULP. pcg4d is Jarzynski & Olano, JCGT 9(3), 2020.
// WGSL promises cos only to 2^-11 absolute and log loosely near 1, so the angle is reduced exactly and both use own
// polynomials: Cephes' for sine and cosine, fdlibm's for the logarithm.

fn pcg4d(counter: vec4<u32>) -> vec4<u32> {
    var v = counter * 1664525u + 1013904223u;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    v ^= v >> vec4<u32>(16u);
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    return v;
}

// ln(n 2^-24) for n in 1..2^24.
fn log_unit(n: u32) -> f32 {
    let bits = bitcast<u32>(f32(n));
    var exponent = i32(bits >> 23u) - 151;
    var mantissa = bitcast<f32>((bits & 0x7fffffu) | 0x3f800000u);
    if mantissa > 1.41421356 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let f = mantissa - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let r = z * (0.66666662693 + w * 0.28498786688) + w * (0.40000972152 + w * 0.24279078841);
    let half_square = 0.5 * f * f;
    let k = f32(exponent);
    return k * 0.69313812256 - ((half_square - (s * (half_square + r) + k * 9.0580006145e-6)) - f);
}

// (cos, sin) of n 2^-24 turns.
fn cos_sin_turns(n: u32) -> vec2<f32> {
    let quarter = (n + 0x200000u) >> 22u;
    let x = f32(i32(n) - i32(quarter << 22u)) * 3.7450704e-7;
    let z = x * x;
    let c = 1.0 - 0.5 * z + z * z * (4.166664568e-2 + z * (-1.388731625e-3 + z * 2.443315711e-5));
    let s = x + x * z * (-1.6666654611e-1 + z * (8.3321608736e-3 - z * 1.9515295891e-4));
    switch quarter & 3u {
        case 0u: { return vec2<f32>(c, s); }
        case 1u: { return vec2<f32>(-s, c); }
        case 2u: { return vec2<f32>(-c, -s); }
        default: { return vec2<f32>(s, -c); }
    }
}

// Two standard normals: Box-Muller with uniforms of 24 bits.
fn box_muller(w0: u32, w1: u32) -> vec2<f32> {
    return sqrt(-2.0 * log_unit((w0 >> 8u) + 1u)) * cos_sin_turns(w1 >> 8u);
}

// Four standard normals.
fn normals(words: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(box_muller(words.x, words.y), box_muller(words.z, words.w));
}

// Four uniforms in [-1, 1).
fn uniforms(words: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(words >> vec4<u32>(8u)) * 1.1920929e-7 - 1.0;
}

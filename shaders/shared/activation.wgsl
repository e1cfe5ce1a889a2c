// ReLU (0), GELU in the tanh form (1) and SiLU (2): value and derivative. Arguments of tanh and exp are clamped, for
// WGSL leaves their overflow open.

fn tanh_argument(x: f32) -> f32 {
    return clamp(0.79788456 * (x + 0.044715 * x * x * x), -20.0, 20.0);
}

fn sigmoid(x: f32) -> f32 {
    return 1.0 / (1.0 + exp(-clamp(x, -80.0, 80.0)));
}

fn activation(kind: u32, x: f32) -> f32 {
    switch kind {
        case 0u: { return max(x, 0.0); }
        case 1u: { return 0.5 * x * (1.0 + tanh(tanh_argument(x))); }
        default: { return x * sigmoid(x); }
    }
}

fn activation_slope(kind: u32, x: f32) -> f32 {
    switch kind {
        case 0u: { return select(0.0, 1.0, x > 0.0); }
        case 1u: {
            let t = tanh(tanh_argument(x));
            let y = clamp(x, -100.0, 100.0);
            return 0.5 * (1.0 + t) + 0.5 * y * (1.0 - t * t) * 0.79788456 * (1.0 + 0.134145 * y * y);
        }
        default: {
            let s = sigmoid(x);
            let y = clamp(x, -80.0, 80.0);
            return s * (1.0 + y * (1.0 - s));
        }
    }
}

fn activation4(kind: u32, x: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(activation(kind, x.x), activation(kind, x.y), activation(kind, x.z), activation(kind, x.w));
}

fn activation_slope4(kind: u32, x: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(
        activation_slope(kind, x.x),
        activation_slope(kind, x.y),
        activation_slope(kind, x.z),
        activation_slope(kind, x.w),
    );
}

// ReLU (0), GELU in the tanh form (1) and SiLU (2): value and derivative. GELU is x sigmoid(2 t), t being what its tanh is
// taken of, so that one exponential serves both. Arguments of exp are clamped, for WGSL leaves its overflow open.

struct Activated {
    value: vec4<f32>,
    slope: vec4<f32>,
}

fn sigmoid(x: vec4<f32>) -> vec4<f32> {
    return 1.0 / (1.0 + exp(-clamp(x, vec4<f32>(-80.0), vec4<f32>(80.0))));
}

fn activate(kind: u32, x: vec4<f32>) -> Activated {
    switch kind {
        case 0u: {
            return Activated(max(x, vec4<f32>(0.0)), select(vec4<f32>(0.0), vec4<f32>(1.0), x > vec4<f32>(0.0)));
        }
        case 1u: {
            let y = clamp(x, vec4<f32>(-100.0), vec4<f32>(100.0));
            let s = sigmoid(1.5957691 * (y + 0.044715 * y * y * y));
            return Activated(x * s, s + y * s * (1.0 - s) * 1.5957691 * (1.0 + 0.134145 * y * y));
        }
        default: {
            let s = sigmoid(x);
            let y = clamp(x, vec4<f32>(-80.0), vec4<f32>(80.0));
            return Activated(x * s, s * (1.0 + y * (1.0 - s)));
        }
    }
}

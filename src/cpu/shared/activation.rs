//! Twin of `shaders/shared/activation.wgsl`: ReLU (0), GELU in the tanh form (1), SiLU (2).

fn tanh_argument(x: f32) -> f32 {
    (0.797_884_6 * (x + 0.044_715 * x * x * x)).clamp(-20.0, 20.0)
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x.clamp(-80.0, 80.0)).exp())
}

pub(in crate::cpu) fn activation(kind: u32, x: f32) -> f32 {
    match kind {
        // Not f32::max, which would turn NaN into 0.
        0 if x < 0.0 => 0.0,
        0 => x,
        1 => 0.5 * x * (1.0 + tanh_argument(x).tanh()),
        _ => x * sigmoid(x),
    }
}

pub(in crate::cpu) fn activation_slope(kind: u32, x: f32) -> f32 {
    match kind {
        0 => f32::from(u8::from(x > 0.0)),
        1 => {
            let t = tanh_argument(x).tanh();
            let y = x.clamp(-100.0, 100.0);
            0.5 * (1.0 + t) + 0.5 * y * (1.0 - t * t) * 0.797_884_6 * (1.0 + 0.134_145 * y * y)
        }
        _ => {
            let s = sigmoid(x);
            let y = x.clamp(-80.0, 80.0);
            s * (1.0 + y * (1.0 - s))
        }
    }
}

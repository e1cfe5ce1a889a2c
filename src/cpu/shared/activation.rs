//! Twin of `shaders/shared/activation.wgsl`: ReLU (0), GELU in the tanh form (1), SiLU (2).

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x.clamp(-80.0, 80.0)).exp())
}

/// Value and derivative.
pub(in crate::cpu) fn activate(kind: u32, x: f32) -> (f32, f32) {
    match kind {
        // Not f32::max, which would turn NaN into 0.
        0 => (if x < 0.0 { 0.0 } else { x }, f32::from(u8::from(x > 0.0))),
        1 => {
            let y = x.clamp(-100.0, 100.0);
            let s = sigmoid(1.595_769 * (y + 0.044_715 * y * y * y));
            (x * s, s + y * s * (1.0 - s) * 1.595_769 * (1.0 + 0.134_145 * y * y))
        }
        _ => {
            let s = sigmoid(x);
            let y = x.clamp(-80.0, 80.0);
            (x * s, s * (1.0 + y * (1.0 - s)))
        }
    }
}

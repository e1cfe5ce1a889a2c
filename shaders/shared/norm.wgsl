// LayerNorm (kind 0) and RMSNorm (kind 1) of a row, y = (x - mean) * scale, in two passes over the row: first the sum
// and the largest value, then the centred squares. Rows past 2^50 are measured in units of 2^64, for their squares
// would overflow.

fn norm_unit(max_abs: f32) -> f32 {
    return select(1.0, 5.4210109e-20, max_abs > 1.1258999e15);
}

// The mean, from a sum taken over x 2^-10 lest it overflow.
fn norm_mean(kind: u32, sum: f32, width: u32) -> f32 {
    return select(0.0, sum / f32(width) * 1024.0, kind == 0u);
}

// The scale, from the centred sum of squares in `unit`s.
fn norm_scale(squares: f32, width: u32, unit: f32, epsilon: f32) -> f32 {
    return unit / sqrt(squares / f32(width) + epsilon * unit * unit);
}

// What the gradient of x becomes: (dy - y mean(dy y) - mean(dy)) scale, the last mean only for LayerNorm. The Jacobian
// is symmetric, so it also takes a tangent of x to that of y.
fn norm_gradient(kind: u32, dy: vec4<f32>, y: vec4<f32>, scale: f32, sums: vec4<f32>, width: u32) -> vec4<f32> {
    let mean = select(0.0, sums.y / f32(width), kind == 0u);
    return (dy - y * (sums.x / f32(width)) - mean) * scale;
}

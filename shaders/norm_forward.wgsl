// y = gain N(x) of each row; x and y are (rows, width), scale, without the gain, is (rows).
#import row
#import norm

struct Params {
    x_at: u32,
    y_at: u32,
    scale_at: u32,
    rows: u32,
    width: u32,
    stride: u32,
    kind: u32,
    epsilon: f32,
    gain: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> scale: array<f32>;

@compute @workgroup_size(ROWS * LANES)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let lane = local % LANES;
    let row = ROWS * group.x + local / LANES;
    let base = min(row, p.rows - 1u) * p.stride;
    var first = vec4<f32>(0.0);
    for (var i = lane; i < p.stride; i += LANES) {
        let value = x[p.x_at + base + i];
        first.x += dot(value, vec4<f32>(0.0009765625));
        first.w = max(first.w, largest(value));
    }
    first = row_reduce(first, local);
    let unit = norm_unit(first.w);
    let mean = norm_mean(p.kind, first.x, p.width);
    var squares = 0.0;
    for (var i = lane; i < p.stride; i += LANES) {
        let value = (x[p.x_at + base + i] - mean) * inside(i, p.width) * unit;
        squares += dot(value, value);
    }
    squares = row_reduce(vec4<f32>(squares, 0.0, 0.0, 0.0), local).x;
    let factor = norm_scale(squares, p.width, unit, p.epsilon);
    if row >= p.rows {
        return;
    }
    for (var i = lane; i < p.stride; i += LANES) {
        y[p.y_at + base + i] = (x[p.x_at + base + i] - mean) * inside(i, p.width) * (factor * p.gain);
    }
    if lane == 0u {
        scale[4u * p.scale_at + row] = factor;
    }
}

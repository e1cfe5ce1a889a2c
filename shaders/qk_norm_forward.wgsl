// RMSNorm of q and k in place, over segments of `segment` floats, a head's or the whole projection: `features` of them
// are no padding, which is zero. qkv is (rows, q | k | v); scale is (rows, 2, segments). A thread takes one segment.
#import norm

struct Params {
    qkv_at: u32,
    scale_at: u32,
    rows: u32,
    stride: u32,
    segments: u32,
    segment: u32,
    features: u32,
    epsilon: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> qkv: array<f32>;
@group(0) @binding(2) var<storage, read_write> scale: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x / (2u * p.segments);
    if row >= p.rows {
        return;
    }
    let part = id.x / p.segments % 2u;
    let at = 4u * (p.qkv_at + (3u * row + part) * p.stride) + id.x % p.segments * p.segment;
    var largest = 0.0;
    for (var i = 0u; i < p.segment; i++) {
        largest = max(largest, abs(qkv[at + i]));
    }
    let unit = norm_unit(largest);
    var squares = 0.0;
    for (var i = 0u; i < p.segment; i++) {
        let value = qkv[at + i] * unit;
        squares += value * value;
    }
    let factor = norm_scale(squares, p.features, unit, p.epsilon);
    for (var i = 0u; i < p.segment; i++) {
        qkv[at + i] *= factor;
    }
    scale[4u * p.scale_at + id.x] = factor;
}

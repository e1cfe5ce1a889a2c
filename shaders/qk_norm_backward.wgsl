// The gradient through the RMSNorm of q and k, in place in qkv_grad (rows, q | k | v); qkv holds the normalised rows,
// scale is (rows, 2, segments). The Jacobian is symmetric, so what this does to a tangent is as right; there are as
// many of either as workgroups in y. A thread takes one segment.

struct Params {
    qkv_at: u32,
    scale_at: u32,
    qkv_grad_at: u32,
    rows: u32,
    stride: u32,
    segments: u32,
    segment: u32,
    features: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read> scale: array<f32>;
@group(0) @binding(3) var<storage, read_write> qkv_grad: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x / (2u * p.segments);
    if row >= p.rows {
        return;
    }
    let part = id.x / p.segments % 2u;
    let offset = 4u * (3u * row + part) * p.stride + id.x % p.segments * p.segment;
    let at = 4u * p.qkv_at + offset;
    let grad_at = 4u * (p.qkv_grad_at + id.y * 3u * p.rows * p.stride) + offset;
    var mean = 0.0;
    for (var i = 0u; i < p.segment; i++) {
        mean += qkv[at + i] * qkv_grad[grad_at + i];
    }
    mean /= f32(p.features);
    let factor = scale[4u * p.scale_at + id.x];
    for (var i = 0u; i < p.segment; i++) {
        qkv_grad[grad_at + i] = (qkv_grad[grad_at + i] - qkv[at + i] * mean) * factor;
    }
}

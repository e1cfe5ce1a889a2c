// The gradients of k and v: dk_j = sum_i ds_ij q_i and dv_j = sum_i a_ij do_i, with ds as attention_query_backward left it
// and a from what attention_forward left. A thread makes 8 features of 4 keys. Workgroup z goes over the sequences of one
// cotangent after the other; out_grad, score_grad and kv_grad have as many.

struct Params {
    q_at: u32,
    out_grad_at: u32,
    inverse_at: u32,
    probabilities_at: u32,
    score_grad_at: u32,
    kv_grad_at: u32,
    sequences: u32,
    tokens: u32,
    heads: u32,
    head_stride: u32,
    q_stride: u32,
    kv_stride: u32,
    causal: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> q: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> out_grad: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> inverse: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> probabilities: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> score_grad: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> kv_grad: array<vec4<f32>>;

fn combine(w: vec4<f32>, x0: vec4<f32>, x1: vec4<f32>, x2: vec4<f32>, x3: vec4<f32>) -> vec4<f32> {
    return mat4x4<f32>(x0, x1, x2, x3) * w;
}

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let chunks = (p.head_stride + 1u) / 2u;
    let tiles = (p.tokens + 3u) / 4u;
    let key_tile = id.x / chunks;
    if key_tile >= tiles {
        return;
    }
    let head = id.y;
    let first_row = id.z % p.sequences * p.tokens;
    let moving_row = id.z * p.tokens;
    let column = head * p.head_stride + 2u * (id.x % chunks);
    // Of an odd number of vec4s the last one is computed twice.
    let step = select(0u, 1u, 2u * (id.x % chunks) + 1u < p.head_stride);
    let out_stride = p.heads * p.head_stride;
    let row = (id.z % p.sequences * p.heads + head) * tiles;
    let grad_row = (id.z * p.heads + head) * tiles;
    // Keys past the last one are computed and dropped.
    let keys = min(4u * key_tile + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(p.tokens - 1u));
    var k0 = vec4<f32>(0.0);
    var k1 = vec4<f32>(0.0);
    var k2 = vec4<f32>(0.0);
    var k3 = vec4<f32>(0.0);
    var l0 = vec4<f32>(0.0);
    var l1 = vec4<f32>(0.0);
    var l2 = vec4<f32>(0.0);
    var l3 = vec4<f32>(0.0);
    var v0 = vec4<f32>(0.0);
    var v1 = vec4<f32>(0.0);
    var v2 = vec4<f32>(0.0);
    var v3 = vec4<f32>(0.0);
    var w0 = vec4<f32>(0.0);
    var w1 = vec4<f32>(0.0);
    var w2 = vec4<f32>(0.0);
    var w3 = vec4<f32>(0.0);
    for (var tile = select(0u, key_tile, p.causal == 1u); tile < tiles; tile++) {
        let queries = min(4u * tile + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(p.tokens - 1u));
        let ds = p.score_grad_at + (grad_row + tile) * p.tokens + keys;
        let q_row = p.q_at + (first_row + queries) * p.q_stride + column;
        let d0 = score_grad[ds.x];
        let d1 = score_grad[ds.y];
        let d2 = score_grad[ds.z];
        let d3 = score_grad[ds.w];
        let q0 = q[q_row.x];
        let q1 = q[q_row.y];
        let q2 = q[q_row.z];
        let q3 = q[q_row.w];
        k0 += combine(d0, q0, q1, q2, q3);
        k1 += combine(d1, q0, q1, q2, q3);
        k2 += combine(d2, q0, q1, q2, q3);
        k3 += combine(d3, q0, q1, q2, q3);
        let r0 = q[q_row.x + step];
        let r1 = q[q_row.y + step];
        let r2 = q[q_row.z + step];
        let r3 = q[q_row.w + step];
        l0 += combine(d0, r0, r1, r2, r3);
        l1 += combine(d1, r0, r1, r2, r3);
        l2 += combine(d2, r0, r1, r2, r3);
        l3 += combine(d3, r0, r1, r2, r3);
        let at = p.probabilities_at + (row + tile) * p.tokens + keys;
        let o_row = p.out_grad_at + (moving_row + queries) * out_stride + column;
        let factor = inverse[p.inverse_at + row + tile];
        let a0 = probabilities[at.x] * factor;
        let a1 = probabilities[at.y] * factor;
        let a2 = probabilities[at.z] * factor;
        let a3 = probabilities[at.w] * factor;
        let o0 = out_grad[o_row.x];
        let o1 = out_grad[o_row.y];
        let o2 = out_grad[o_row.z];
        let o3 = out_grad[o_row.w];
        v0 += combine(a0, o0, o1, o2, o3);
        v1 += combine(a1, o0, o1, o2, o3);
        v2 += combine(a2, o0, o1, o2, o3);
        v3 += combine(a3, o0, o1, o2, o3);
        let p0 = out_grad[o_row.x + step];
        let p1 = out_grad[o_row.y + step];
        let p2 = out_grad[o_row.z + step];
        let p3 = out_grad[o_row.w + step];
        w0 += combine(a0, p0, p1, p2, p3);
        w1 += combine(a1, p0, p1, p2, p3);
        w2 += combine(a2, p0, p1, p2, p3);
        w3 += combine(a3, p0, p1, p2, p3);
    }
    let k_left = array<vec4<f32>, 4>(k0, k1, k2, k3);
    let k_right = array<vec4<f32>, 4>(l0, l1, l2, l3);
    let v_left = array<vec4<f32>, 4>(v0, v1, v2, v3);
    let v_right = array<vec4<f32>, 4>(w0, w1, w2, w3);
    for (var i = 0u; i < 4u && 4u * key_tile + i < p.tokens; i++) {
        let at = p.kv_grad_at + (moving_row + 4u * key_tile + i) * p.kv_stride + column;
        kv_grad[at] = k_left[i];
        kv_grad[at + step] = k_right[i];
        kv_grad[at + out_stride] = v_left[i];
        kv_grad[at + out_stride + step] = v_right[i];
    }
}

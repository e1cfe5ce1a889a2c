// The gradients of k and v: dk_j = sum_i ds_ij q_i and dv_j = sum_i a_ij do_i, from the (2, B, H, T, T) that
// attention_query_backward left. A thread makes up to 4 features of one token.

struct Params {
    qkv_at: u32,
    out_grad_at: u32,
    scores_at: u32,
    qkv_grad_at: u32,
    tokens: u32,
    batch: u32,
    heads: u32,
    head_width: u32,
    stride: u32,
    causal: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> qkv: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> out_grad: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> scores: array<f32>;
@group(0) @binding(4) var<storage, read_write> qkv_grad: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let chunks = (p.head_width + 3u) / 4u;
    let key = id.x / chunks;
    let chunk = id.x % chunks;
    if key >= p.tokens {
        return;
    }
    let head = id.y;
    let first_row = id.z * p.tokens;
    let row_floats = 12u * p.stride;
    let part_floats = 4u * p.stride;
    let column = head * p.head_width + 4u * chunk;
    let half = p.batch * p.heads * p.tokens * p.tokens;
    var at = 4u * p.scores_at + (id.z * p.heads + head) * p.tokens * p.tokens + key;
    let first = select(0u, key, p.causal == 1u);
    at += first * p.tokens;
    var dk = vec4<f32>(0.0);
    var dv = vec4<f32>(0.0);
    if p.head_width % 4u == 0u {
        for (var i = first; i < p.tokens; i++) {
            dk += scores[half + at] * qkv[p.qkv_at + ((first_row + i) * row_floats + column) / 4u];
            dv += scores[at] * out_grad[p.out_grad_at + ((first_row + i) * part_floats + column) / 4u];
            at += p.tokens;
        }
    } else {
        for (var i = first; i < p.tokens; i++) {
            let q_at = (first_row + i) * row_floats + column;
            let o_at = (first_row + i) * part_floats + column;
            for (var c = 0u; c < min(4u, p.head_width - 4u * chunk); c++) {
                dk[c] += scores[half + at] * qkv[p.qkv_at + (q_at + c) / 4u][(q_at + c) % 4u];
                dv[c] += scores[at] * out_grad[p.out_grad_at + (o_at + c) / 4u][(o_at + c) % 4u];
            }
            at += p.tokens;
        }
    }
    let out_at = 4u * p.qkv_grad_at + (first_row + key) * row_floats + part_floats + column;
    for (var c = 0u; c < min(4u, p.head_width - 4u * chunk); c++) {
        qkv_grad[out_at + c] = dk[c];
        qkv_grad[out_at + part_floats + c] = dv[c];
    }
}

// out = softmax(q k^T / sqrt(k)) v of every head; qkv is (B T, q | k | v), out (B T, d). stats is (B, H, T, 2): the
// largest score of a row and one over the sum of its exponentials. A row with a score that is not finite becomes NaN,
// which `max` would hide.
#import attention
#import finite

struct Params {
    qkv_at: u32,
    out_at: u32,
    stats_at: u32,
    tokens: u32,
    heads: u32,
    head_width: u32,
    stride: u32,
    causal: u32,
    nan_bits: u32,
    score_scale: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> qkv: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<storage, read_write> stats: array<f32>;

var<workgroup> probability: array<f32, TILE * MAX_TOKENS>;

fn element(at: u32) -> f32 {
    return qkv[p.qkv_at + at / 4u][at % 4u];
}

@compute @workgroup_size(TILE * LANES)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let head = group.y;
    let first_row = group.z * p.tokens;
    let row_floats = 12u * p.stride;
    let part_floats = 4u * p.stride;
    let lane = local % LANES;
    let tile_row = local / LANES;
    let query = TILE * group.x + tile_row;
    let q_row = min(query, p.tokens - 1u);
    let q_at = (first_row + q_row) * row_floats + head * p.head_width;
    let k_at = first_row * row_floats + part_floats + head * p.head_width;
    let v_at = k_at + part_floats;
    let aligned = p.head_width % 4u == 0u;
    let seen = select(p.tokens, q_row + 1u, p.causal == 1u);

    var row_max = -3.0e38;
    var finite = 0.0;
    for (var j = lane; j < seen; j += 4u * LANES) {
        // Four keys at a time share the loads of the query; those past the last one are computed and dropped.
        let keys = min(vec4<u32>(j, j + LANES, j + 2u * LANES, j + 3u * LANES), vec4<u32>(seen - 1u));
        let at = k_at + keys * row_floats;
        var score = vec4<f32>(0.0);
        if aligned {
            let a = p.qkv_at + q_at / 4u;
            let b = p.qkv_at + at / 4u;
            for (var c = 0u; c < p.head_width / 4u; c++) {
                let q = qkv[a + c];
                score += vec4<f32>(dot(q, qkv[b.x + c]), dot(q, qkv[b.y + c]), dot(q, qkv[b.z + c]), dot(q, qkv[b.w + c]));
            }
        } else {
            for (var c = 0u; c < p.head_width; c++) {
                let k = vec4<f32>(element(at.x + c), element(at.y + c), element(at.z + c), element(at.w + c));
                score += element(q_at + c) * k;
            }
        }
        score *= p.score_scale;
        for (var i = 0u; i < 4u && j + i * LANES < seen; i++) {
            if !is_finite(score[i]) {
                finite = 1.0;
            }
            probability[tile_row * MAX_TOKENS + j + i * LANES] = score[i];
            row_max = max(row_max, score[i]);
        }
    }
    row_max = lanes_max(row_max, local);
    var sum = 0.0;
    for (var j = lane; j < seen; j += LANES) {
        let at = tile_row * MAX_TOKENS + j;
        let e = exp(max(probability[at] - row_max, -100.0));
        probability[at] = e;
        sum += e;
    }
    sum = lanes_sum(sum, local);
    let poison = lanes_max(finite, local) > 0.0;
    var inverse = 1.0 / sum;
    if poison {
        inverse = bitcast<f32>(p.nan_bits);
    }
    if query >= p.tokens {
        return;
    }
    let out_at = 4u * p.out_at + (first_row + query) * part_floats;
    if lane == 0u {
        let at = 4u * p.stats_at + 2u * ((group.z * p.heads + head) * p.tokens + query);
        stats[at] = row_max;
        stats[at + 1u] = inverse;
        // The padding past the last head.
        if head == p.heads - 1u {
            for (var c = p.heads * p.head_width; c < part_floats; c++) {
                out[out_at + c] = 0.0;
            }
        }
    }
    if aligned {
        for (var c = lane; c < p.head_width / 4u; c += LANES) {
            var total = vec4<f32>(0.0);
            for (var j = 0u; j < seen; j++) {
                let v = qkv[p.qkv_at + (v_at + j * row_floats) / 4u + c];
                total += probability[tile_row * MAX_TOKENS + j] * v;
            }
            total *= inverse;
            let at = out_at + head * p.head_width + 4u * c;
            out[at] = total.x;
            out[at + 1u] = total.y;
            out[at + 2u] = total.z;
            out[at + 3u] = total.w;
        }
    } else {
        for (var c = lane; c < p.head_width; c += LANES) {
            var total = 0.0;
            for (var j = 0u; j < seen; j++) {
                total += probability[tile_row * MAX_TOKENS + j] * element(v_at + j * row_floats + c);
            }
            out[out_at + head * p.head_width + c] = total * inverse;
        }
    }
}

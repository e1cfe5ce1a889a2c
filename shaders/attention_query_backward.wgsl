// The gradient of the scores and of q. out_grad is (B T, d); scores receives (2, B, H, T, T): the probabilities a and
// ds = a (da - sum a da) / sqrt(k); qkv_grad (B T, q | k | v) receives its q part.
// Rows of a sum to 1 and rows of ds to 0, so values and keys are taken less those of the sequence's first token: exact
// in exact arithmetic, and where the tokens have collapsed onto each other nothing large cancels.
#import attention

struct Params {
    qkv_at: u32,
    stats_at: u32,
    out_grad_at: u32,
    scores_at: u32,
    qkv_grad_at: u32,
    tokens: u32,
    batch: u32,
    heads: u32,
    head_width: u32,
    stride: u32,
    causal: u32,
    score_scale: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> qkv: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> stats: array<f32>;
@group(0) @binding(3) var<storage, read> out_grad: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> scores: array<f32>;
@group(0) @binding(5) var<storage, read_write> qkv_grad: array<f32>;

var<workgroup> score_grad: array<f32, TILE * MAX_TOKENS>;
var<workgroup> probability: array<f32, TILE * MAX_TOKENS>;

fn element(at: u32) -> f32 {
    return qkv[p.qkv_at + at / 4u][at % 4u];
}

fn out_grad_element(at: u32) -> f32 {
    return out_grad[p.out_grad_at + at / 4u][at % 4u];
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
    let o_at = (first_row + q_row) * part_floats + head * p.head_width;
    let aligned = p.head_width % 4u == 0u;
    let seen = select(p.tokens, q_row + 1u, p.causal == 1u);
    let row = (group.z * p.heads + head) * p.tokens + q_row;
    let row_max = stats[4u * p.stats_at + 2u * row];
    let inverse = stats[4u * p.stats_at + 2u * row + 1u];

    var mean = 0.0;
    for (var j = lane; j < seen; j += 4u * LANES) {
        // Four keys at a time share the other loads; those past the last one are computed and dropped.
        let keys = min(vec4<u32>(j, j + LANES, j + 2u * LANES, j + 3u * LANES), vec4<u32>(seen - 1u));
        let kj = k_at + keys * row_floats;
        let vj = v_at + keys * row_floats;
        var score = vec4<f32>(0.0);
        var grad = vec4<f32>(0.0);
        if aligned {
            let k = p.qkv_at + kj / 4u;
            let v = p.qkv_at + vj / 4u;
            for (var c = 0u; c < p.head_width / 4u; c++) {
                let q = qkv[p.qkv_at + q_at / 4u + c];
                let d = out_grad[p.out_grad_at + o_at / 4u + c];
                let first = qkv[p.qkv_at + v_at / 4u + c];
                score += vec4<f32>(dot(q, qkv[k.x + c]), dot(q, qkv[k.y + c]), dot(q, qkv[k.z + c]), dot(q, qkv[k.w + c]));
                grad += vec4<f32>(
                    dot(d, qkv[v.x + c] - first),
                    dot(d, qkv[v.y + c] - first),
                    dot(d, qkv[v.z + c] - first),
                    dot(d, qkv[v.w + c] - first),
                );
            }
        } else {
            for (var c = 0u; c < p.head_width; c++) {
                let k = vec4<f32>(element(kj.x + c), element(kj.y + c), element(kj.z + c), element(kj.w + c));
                let v = vec4<f32>(element(vj.x + c), element(vj.y + c), element(vj.z + c), element(vj.w + c));
                score += element(q_at + c) * k;
                grad += out_grad_element(o_at + c) * (v - element(v_at + c));
            }
        }
        let a = exp(max(score * p.score_scale - row_max, vec4<f32>(-100.0))) * inverse;
        for (var i = 0u; i < 4u && j + i * LANES < seen; i++) {
            let at = tile_row * MAX_TOKENS + j + i * LANES;
            probability[at] = a[i];
            score_grad[at] = grad[i];
            mean += a[i] * grad[i];
        }
    }
    mean = lanes_sum(mean, local);
    let valid = query < p.tokens;
    let scores_row = 4u * p.scores_at + row * p.tokens;
    let half = p.batch * p.heads * p.tokens * p.tokens;
    for (var j = lane; j < p.tokens; j += LANES) {
        let at = tile_row * MAX_TOKENS + j;
        var a = 0.0;
        var ds = 0.0;
        if j < seen {
            a = probability[at];
            ds = a * (score_grad[at] - mean) * p.score_scale;
        }
        score_grad[at] = ds;
        if valid {
            scores[scores_row + j] = a;
            scores[half + scores_row + j] = ds;
        }
    }
    lanes_barrier();
    if !valid {
        return;
    }
    let grad_at = 4u * p.qkv_grad_at + (first_row + query) * row_floats;
    if aligned {
        for (var c = lane; c < p.head_width / 4u; c += LANES) {
            var total = vec4<f32>(0.0);
            let first = qkv[p.qkv_at + k_at / 4u + c];
            for (var j = 0u; j < seen; j++) {
                let k = qkv[p.qkv_at + (k_at + j * row_floats) / 4u + c] - first;
                total += score_grad[tile_row * MAX_TOKENS + j] * k;
            }
            let at = grad_at + head * p.head_width + 4u * c;
            qkv_grad[at] = total.x;
            qkv_grad[at + 1u] = total.y;
            qkv_grad[at + 2u] = total.z;
            qkv_grad[at + 3u] = total.w;
        }
    } else {
        for (var c = lane; c < p.head_width; c += LANES) {
            var total = 0.0;
            for (var j = 0u; j < seen; j++) {
                let k = element(k_at + j * row_floats + c) - element(k_at + c);
                total += score_grad[tile_row * MAX_TOKENS + j] * k;
            }
            qkv_grad[grad_at + head * p.head_width + c] = total;
        }
    }
    // The padding past the last head, of all three parts.
    if lane == 0u && head == p.heads - 1u {
        for (var part = 0u; part < 3u; part++) {
            for (var c = p.heads * p.head_width; c < part_floats; c++) {
                qkv_grad[grad_at + part * part_floats + c] = 0.0;
            }
        }
    }
}

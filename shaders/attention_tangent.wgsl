// The tangent of the heads' output in two directions, workgroup z going over the sequences of the first and then of the
// second: ds = (dq k + q dk) / sqrt(k), da = a (ds - sum a ds), do = da v + a dv. q_tangent, kv_tangent and out are
// (2, B T, ...); score_tangent, (2, B, H, ceil(T / 4), T), receives da. probabilities holds the
// exponentials that attention_forward left, whose sums inverse has.
// A score that all keys share changes nothing and rows of da sum to 0, so keys, their tangents and values are taken
// less those of the sequence's first token, as in attention_query_backward.
#import attention

struct Params {
    q_at: u32,
    kv_at: u32,
    q_tangent_at: u32,
    kv_tangent_at: u32,
    inverse_at: u32,
    probabilities_at: u32,
    score_tangent_at: u32,
    out_at: u32,
    sequences: u32,
    tokens: u32,
    heads: u32,
    head_stride: u32,
    q_stride: u32,
    kv_stride: u32,
    causal: u32,
    score_scale: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> q: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> kv: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> q_tangent: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> kv_tangent: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> inverse: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> probabilities: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> score_tangent: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(TILE * LANES)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let lane = local % LANES;
    let tile = TILE * group.x + local / LANES;
    let tiles = (p.tokens + 3u) / 4u;
    let head = group.y;
    let queries = 4u * tile + vec4<u32>(0u, 1u, 2u, 3u);
    let seen = keys_seen(queries, p.tokens, p.causal);
    let last = max(max(seen.x, seen.y), max(seen.z, seen.w));
    let first_row = group.z % p.sequences * p.tokens;
    let moving_row = group.z * p.tokens;
    let row = (group.z % p.sequences * p.heads + head) * tiles + min(tile, tiles - 1u);
    let scores = p.probabilities_at + row * p.tokens;
    let tangent_row = (group.z * p.heads + head) * tiles + min(tile, tiles - 1u);
    let tangents = p.score_tangent_at + tangent_row * p.tokens;
    let out_stride = p.heads * p.head_stride;
    let column = head * p.head_stride;
    let of_queries = min(queries, vec4<u32>(p.tokens - 1u)) * p.q_stride + column;
    let q_row = p.q_at + first_row * p.q_stride + of_queries;
    let dq_row = p.q_tangent_at + moving_row * p.q_stride + of_queries;
    let k_at = p.kv_at + first_row * p.kv_stride + column;
    let dk_at = p.kv_tangent_at + moving_row * p.kv_stride + column;
    let factor = inverse[p.inverse_at + row];

    var mean = vec4<f32>(0.0);
    for (var j = 4u * lane; j < last; j += 4u * LANES) {
        // Keys past the last one are computed and dropped.
        let keys = min(j + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(last - 1u)) * p.kv_stride;
        let k_row = k_at + keys;
        let dk_row = dk_at + keys;
        var s0 = vec4<f32>(0.0);
        var s1 = vec4<f32>(0.0);
        var s2 = vec4<f32>(0.0);
        var s3 = vec4<f32>(0.0);
        for (var c = 0u; c < p.head_stride; c++) {
            let d0 = q_tangent[dq_row.x + c];
            let d1 = q_tangent[dq_row.y + c];
            let d2 = q_tangent[dq_row.z + c];
            let d3 = q_tangent[dq_row.w + c];
            let first = kv[k_at + c];
            s0 += dot4(d0, d1, d2, d3, kv[k_row.x + c] - first);
            s1 += dot4(d0, d1, d2, d3, kv[k_row.y + c] - first);
            s2 += dot4(d0, d1, d2, d3, kv[k_row.z + c] - first);
            s3 += dot4(d0, d1, d2, d3, kv[k_row.w + c] - first);
            let q0 = q[q_row.x + c];
            let q1 = q[q_row.y + c];
            let q2 = q[q_row.z + c];
            let q3 = q[q_row.w + c];
            let first_tangent = kv_tangent[dk_at + c];
            s0 += dot4(q0, q1, q2, q3, kv_tangent[dk_row.x + c] - first_tangent);
            s1 += dot4(q0, q1, q2, q3, kv_tangent[dk_row.y + c] - first_tangent);
            s2 += dot4(q0, q1, q2, q3, kv_tangent[dk_row.z + c] - first_tangent);
            s3 += dot4(q0, q1, q2, q3, kv_tangent[dk_row.w + c] - first_tangent);
        }
        let of_keys = array<vec4<f32>, 4>(s0, s1, s2, s3);
        for (var i = 0u; i < 4u && j + i < last; i++) {
            let ds = select(vec4<f32>(0.0), of_keys[i] * p.score_scale, vec4<u32>(j + i) < seen);
            score_tangent[tangents + j + i] = ds;
            mean += probabilities[scores + j + i] * factor * ds;
        }
    }
    mean = lanes_sum(mean, local);
    for (var j = 4u * lane; j < last; j += 4u * LANES) {
        for (var i = j; i < min(j + 4u, last); i++) {
            score_tangent[tangents + i] = probabilities[scores + i] * factor * (score_tangent[tangents + i] - mean);
        }
    }
    lanes_barrier();
    if tile >= tiles {
        return;
    }
    let v_at = k_at + out_stride;
    let dv_at = dk_at + out_stride;
    for (var c = 2u * lane; c < p.head_stride; c += 2u * LANES) {
        // Of an odd number of vec4s the last one is computed twice.
        let step = select(0u, 1u, c + 1u < p.head_stride);
        let first = kv[v_at + c];
        let first_next = kv[v_at + c + step];
        var a0 = vec4<f32>(0.0);
        var a1 = vec4<f32>(0.0);
        var a2 = vec4<f32>(0.0);
        var a3 = vec4<f32>(0.0);
        var b0 = vec4<f32>(0.0);
        var b1 = vec4<f32>(0.0);
        var b2 = vec4<f32>(0.0);
        var b3 = vec4<f32>(0.0);
        for (var j = 0u; j < last; j++) {
            let da = score_tangent[tangents + j];
            let a = probabilities[scores + j] * factor;
            let v = kv[v_at + c + j * p.kv_stride] - first;
            let w = kv[v_at + c + step + j * p.kv_stride] - first_next;
            let dv = kv_tangent[dv_at + c + j * p.kv_stride];
            let dw = kv_tangent[dv_at + c + step + j * p.kv_stride];
            a0 += da.x * v + a.x * dv;
            a1 += da.y * v + a.y * dv;
            a2 += da.z * v + a.z * dv;
            a3 += da.w * v + a.w * dv;
            b0 += da.x * w + a.x * dw;
            b1 += da.y * w + a.y * dw;
            b2 += da.z * w + a.z * dw;
            b3 += da.w * w + a.w * dw;
        }
        let left = array<vec4<f32>, 4>(a0, a1, a2, a3);
        let right = array<vec4<f32>, 4>(b0, b1, b2, b3);
        for (var i = 0u; i < 4u && 4u * tile + i < p.tokens; i++) {
            let at = p.out_at + (moving_row + 4u * tile + i) * out_stride + column + c;
            out[at] = left[i];
            out[at + step] = right[i];
        }
    }
}

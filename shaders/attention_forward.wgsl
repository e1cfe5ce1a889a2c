// out = softmax(q k^T / sqrt(k)) v of every head, (B T, H, k). probabilities receives the exponentials of the scores less
// the largest of their row, inverse, (B, H, ceil(T / 4)) vec4s, one over their sums. A row with a score that is not
// finite becomes NaN, which `max` would hide. partials, (B, H, ceil(T / 4)), holds the sum of the entropies of 4 rows as
// the middle part of a square sum, and the largest absolute score.
#import attention
#import finite

struct Params {
    q_at: u32,
    kv_at: u32,
    out_at: u32,
    probabilities_at: u32,
    inverse_at: u32,
    partials_at: u32,
    tokens: u32,
    heads: u32,
    head_stride: u32,
    q_stride: u32,
    kv_stride: u32,
    causal: u32,
    nan_bits: u32,
    score_scale: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> q: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> kv: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> probabilities: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> inverse: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> partials: array<vec4<u32>>;

@compute @workgroup_size(TILE * LANES)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let lane = local % LANES;
    let tile = TILE * group.x + local / LANES;
    let tiles = (p.tokens + 3u) / 4u;
    let head = group.y;
    let first_row = group.z * p.tokens;
    let queries = 4u * tile + vec4<u32>(0u, 1u, 2u, 3u);
    let seen = keys_seen(queries, p.tokens, p.causal);
    let last = max(max(seen.x, seen.y), max(seen.z, seen.w));
    let row = (group.z * p.heads + head) * tiles + min(tile, tiles - 1u);
    let scores = p.probabilities_at + row * p.tokens;
    let q_row = p.q_at + (first_row + min(queries, vec4<u32>(p.tokens - 1u))) * p.q_stride + head * p.head_stride;
    let k_at = p.kv_at + first_row * p.kv_stride + head * p.head_stride;

    var row_max = vec4<f32>(-3.0e38);
    var bad = vec4<f32>(0.0);
    var largest = vec4<f32>(0.0);
    for (var j = 4u * lane; j < last; j += 4u * LANES) {
        // Keys past the last one are computed and dropped.
        let k_row = k_at + min(j + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(last - 1u)) * p.kv_stride;
        var s0 = vec4<f32>(0.0);
        var s1 = vec4<f32>(0.0);
        var s2 = vec4<f32>(0.0);
        var s3 = vec4<f32>(0.0);
        for (var c = 0u; c < p.head_stride; c++) {
            let q0 = q[q_row.x + c];
            let q1 = q[q_row.y + c];
            let q2 = q[q_row.z + c];
            let q3 = q[q_row.w + c];
            s0 += dot4(q0, q1, q2, q3, kv[k_row.x + c]);
            s1 += dot4(q0, q1, q2, q3, kv[k_row.y + c]);
            s2 += dot4(q0, q1, q2, q3, kv[k_row.z + c]);
            s3 += dot4(q0, q1, q2, q3, kv[k_row.w + c]);
        }
        let of_keys = array<vec4<f32>, 4>(s0, s1, s2, s3);
        for (var i = 0u; i < 4u && j + i < last; i++) {
            let score = of_keys[i] * p.score_scale;
            let sees = vec4<u32>(j + i) < seen;
            row_max = select(row_max, max(row_max, score), sees);
            largest = select(largest, max(largest, abs(score)), sees);
            bad = select(bad, vec4<f32>(1.0), sees & !are_finite(score));
            probabilities[scores + j + i] = score;
        }
    }
    row_max = lanes_max(row_max, local);
    var sum = vec4<f32>(0.0);
    var weighted = vec4<f32>(0.0);
    for (var j = 4u * lane; j < last; j += 4u * LANES) {
        for (var i = j; i < min(j + 4u, last); i++) {
            let below = max(probabilities[scores + i] - row_max, vec4<f32>(-100.0));
            let e = exp(below);
            let seen_e = select(vec4<f32>(0.0), e, vec4<u32>(i) < seen);
            probabilities[scores + i] = seen_e;
            sum += seen_e;
            weighted += seen_e * below;
        }
    }
    sum = lanes_sum(sum, local);
    weighted = lanes_sum(weighted, local);
    largest = lanes_max(largest, local);
    let poisoned = lanes_max(bad, local) > vec4<f32>(0.0);
    lanes_barrier();
    if tile >= tiles {
        return;
    }
    // A query past the last one sees nothing.
    var factor = select(1.0 / sum, vec4<f32>(0.0), sum == vec4<f32>(0.0));
    factor = select(factor, vec4<f32>(bitcast<f32>(p.nan_bits)), poisoned);
    if lane == 0u {
        inverse[p.inverse_at + row] = factor;
        // -sum a ln a with a = e / sum.
        let entropy = select(log(sum) - weighted / sum, vec4<f32>(0.0), sum == vec4<f32>(0.0));
        let total = dot(entropy, vec4<f32>(1.0));
        let words = bitcast<vec4<u32>>(largest);
        var bits = max(max(words.x, words.y), max(words.z, words.w));
        if any(poisoned) {
            bits = p.nan_bits;
        }
        partials[p.partials_at + row] = vec4<u32>(0u, bitcast<u32>(total), 0u, bits);
    }
    let v_at = k_at + p.heads * p.head_stride;
    let out_stride = p.heads * p.head_stride;
    for (var c = 2u * lane; c < p.head_stride; c += 2u * LANES) {
        // Of an odd number of vec4s the last one is computed twice.
        let step = select(0u, 1u, c + 1u < p.head_stride);
        var a0 = vec4<f32>(0.0);
        var a1 = vec4<f32>(0.0);
        var a2 = vec4<f32>(0.0);
        var a3 = vec4<f32>(0.0);
        var b0 = vec4<f32>(0.0);
        var b1 = vec4<f32>(0.0);
        var b2 = vec4<f32>(0.0);
        var b3 = vec4<f32>(0.0);
        var v_row = v_at + c;
        for (var j = 0u; j < last; j++) {
            let e = probabilities[scores + j];
            let v = kv[v_row];
            let w = kv[v_row + step];
            a0 += e.x * v;
            a1 += e.y * v;
            a2 += e.z * v;
            a3 += e.w * v;
            b0 += e.x * w;
            b1 += e.y * w;
            b2 += e.z * w;
            b3 += e.w * w;
            v_row += p.kv_stride;
        }
        let left = array<vec4<f32>, 4>(a0, a1, a2, a3);
        let right = array<vec4<f32>, 4>(b0, b1, b2, b3);
        for (var i = 0u; i < 4u && 4u * tile + i < p.tokens; i++) {
            let at = p.out_at + (first_row + 4u * tile + i) * out_stride + head * p.head_stride + c;
            out[at] = left[i] * factor[i];
            out[at + step] = right[i] * factor[i];
        }
    }
}

// The gradient of the scores and of q. out_grad and q_grad are (B T, H, k); probabilities and inverse hold what
// attention_forward left; score_grad receives ds = a (da - sum a da) / sqrt(k). Workgroup z goes over the sequences of one
// cotangent after the other; out_grad, score_grad and q_grad have as many.
// Rows of a sum to 1 and rows of ds to 0, so values and keys are taken less those of the sequence's first token: exact
// in exact arithmetic, and where the tokens have collapsed onto each other nothing large cancels.
#import attention

struct Params {
    kv_at: u32,
    out_grad_at: u32,
    inverse_at: u32,
    probabilities_at: u32,
    score_grad_at: u32,
    q_grad_at: u32,
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
@group(0) @binding(1) var<storage, read> kv: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> out_grad: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> inverse: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> probabilities: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> score_grad: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> q_grad: array<vec4<f32>>;

@compute @workgroup_size(TILE * LANES)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let lane = local % LANES;
    let tile = TILE * group.x + local / LANES;
    let tiles = (p.tokens + 3u) / 4u;
    let head = group.y;
    let first_row = group.z % p.sequences * p.tokens;
    let moving_row = group.z * p.tokens;
    let queries = 4u * tile + vec4<u32>(0u, 1u, 2u, 3u);
    let seen = keys_seen(queries, p.tokens, p.causal);
    let last = max(max(seen.x, seen.y), max(seen.z, seen.w));
    let row = (group.z % p.sequences * p.heads + head) * tiles + min(tile, tiles - 1u);
    let grad_row = (group.z * p.heads + head) * tiles + min(tile, tiles - 1u);
    let scores = p.probabilities_at + row * p.tokens;
    let grads = p.score_grad_at + grad_row * p.tokens;
    let out_stride = p.heads * p.head_stride;
    let d_row = p.out_grad_at + (moving_row + min(queries, vec4<u32>(p.tokens - 1u))) * out_stride + head * p.head_stride;
    let k_at = p.kv_at + first_row * p.kv_stride + head * p.head_stride;
    let v_at = k_at + out_stride;
    let factor = inverse[p.inverse_at + row];

    var mean = vec4<f32>(0.0);
    for (var j = 4u * lane; j < last; j += 4u * LANES) {
        // Keys past the last one are computed and dropped.
        let v_row = v_at + min(j + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(last - 1u)) * p.kv_stride;
        var g0 = vec4<f32>(0.0);
        var g1 = vec4<f32>(0.0);
        var g2 = vec4<f32>(0.0);
        var g3 = vec4<f32>(0.0);
        for (var c = 0u; c < p.head_stride; c++) {
            let d0 = out_grad[d_row.x + c];
            let d1 = out_grad[d_row.y + c];
            let d2 = out_grad[d_row.z + c];
            let d3 = out_grad[d_row.w + c];
            let first = kv[v_at + c];
            g0 += dot4(d0, d1, d2, d3, kv[v_row.x + c] - first);
            g1 += dot4(d0, d1, d2, d3, kv[v_row.y + c] - first);
            g2 += dot4(d0, d1, d2, d3, kv[v_row.z + c] - first);
            g3 += dot4(d0, d1, d2, d3, kv[v_row.w + c] - first);
        }
        let of_keys = array<vec4<f32>, 4>(g0, g1, g2, g3);
        for (var i = 0u; i < 4u && j + i < last; i++) {
            let grad = select(vec4<f32>(0.0), of_keys[i], vec4<u32>(j + i) < seen);
            score_grad[grads + j + i] = grad;
            mean += probabilities[scores + j + i] * factor * grad;
        }
    }
    mean = lanes_sum(mean, local);
    for (var j = 4u * lane; j < last; j += 4u * LANES) {
        for (var i = j; i < min(j + 4u, last); i++) {
            score_grad[grads + i] = probabilities[scores + i] * factor * (score_grad[grads + i] - mean) * p.score_scale;
        }
    }
    lanes_barrier();
    if tile >= tiles {
        return;
    }
    for (var c = 2u * lane; c < p.head_stride; c += 2u * LANES) {
        // Of an odd number of vec4s the last one is computed twice.
        let step = select(0u, 1u, c + 1u < p.head_stride);
        let first = kv[k_at + c];
        let first_next = kv[k_at + c + step];
        var a0 = vec4<f32>(0.0);
        var a1 = vec4<f32>(0.0);
        var a2 = vec4<f32>(0.0);
        var a3 = vec4<f32>(0.0);
        var b0 = vec4<f32>(0.0);
        var b1 = vec4<f32>(0.0);
        var b2 = vec4<f32>(0.0);
        var b3 = vec4<f32>(0.0);
        var k_row = k_at + c;
        for (var j = 0u; j < last; j++) {
            let ds = score_grad[grads + j];
            let k = kv[k_row] - first;
            let l = kv[k_row + step] - first_next;
            a0 += ds.x * k;
            a1 += ds.y * k;
            a2 += ds.z * k;
            a3 += ds.w * k;
            b0 += ds.x * l;
            b1 += ds.y * l;
            b2 += ds.z * l;
            b3 += ds.w * l;
            k_row += p.kv_stride;
        }
        let left = array<vec4<f32>, 4>(a0, a1, a2, a3);
        let right = array<vec4<f32>, 4>(b0, b1, b2, b3);
        for (var i = 0u; i < 4u && 4u * tile + i < p.tokens; i++) {
            let at = p.q_grad_at + (moving_row + 4u * tile + i) * p.q_stride + head * p.head_stride + c;
            q_grad[at] = left[i];
            q_grad[at + step] = right[i];
        }
    }
}

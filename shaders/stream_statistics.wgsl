// Of one sequence of one state, (T, d): its square sum and largest value, the square sum of its tokens less their mean,
// and the sum over token pairs of their cosines. results is (states, B, 3). A workgroup takes one sequence.
#import square_sum

struct Params {
    x_at: u32,
    results_at: u32,
    tokens: u32,
    stride: u32,
    batch: u32,
    state_stride: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> results: array<vec4<u32>>;

// One over the norm of each token, as a factor on the values and a second one on what that gives, for the squares of
// the values themselves may leave f32.
var<workgroup> token_factor: array<vec2<f32>, 256>;
var<workgroup> scratch: array<vec4<u32>, 64>;
var<workgroup> spread_scratch: array<vec4<u32>, 64>;
var<workgroup> cosine_scratch: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let base = p.x_at + group.x * p.state_stride + group.y * p.tokens * p.stride;
    var squares = SquareSum(0.0, 0.0, 0.0, 0u);
    var spread = SquareSum(0.0, 0.0, 0.0, 0u);
    for (var t = local; t < p.tokens; t += 64u) {
        let at = base + t * p.stride;
        var largest = 0.0;
        for (var i = 0u; i < p.stride; i++) {
            let value = x[at + i];
            add_squares(&squares, value);
            let a = abs(value);
            largest = max(largest, max(max(a.x, a.y), max(a.z, a.w)));
        }
        // A power of two near the largest value, so that the scaling is exact.
        let unit = bitcast<f32>(0x7f000000u - clamp(bitcast<u32>(largest) & 0x7f800000u, 0x00800000u, 0x7e000000u));
        var sum = 0.0;
        for (var i = 0u; i < p.stride; i++) {
            let value = x[at + i] * unit;
            sum += dot(value, value);
        }
        token_factor[t] = vec2<f32>(unit, select(0.0, 1.0 / sqrt(sum), sum > 0.0));
    }
    workgroupBarrier();
    var cosine = 0.0;
    for (var i = local; i < p.stride; i += 64u) {
        var sum = vec4<f32>(0.0);
        var own = vec4<f32>(0.0);
        // Less the first token, so that what the tokens share does not round what they do not.
        let first = x[base + i];
        var mean = vec4<f32>(0.0);
        for (var t = 0u; t < p.tokens; t++) {
            let value = x[base + t * p.stride + i];
            let u = value * token_factor[t].x * token_factor[t].y;
            sum += u;
            own += u * u;
            mean += (value - first) / f32(p.tokens);
        }
        for (var t = 0u; t < p.tokens; t++) {
            add_squares(&spread, x[base + t * p.stride + i] - first - mean);
        }
        // Pairs only: what a token has with itself is taken off feature by feature.
        cosine += dot(sum * sum - own, vec4<f32>(1.0));
    }
    scratch[local] = pack_square_sum(squares);
    spread_scratch[local] = pack_square_sum(spread);
    cosine_scratch[local] = cosine;
    workgroupBarrier();
    if local == 0u {
        var total = SquareSum(0.0, 0.0, 0.0, 0u);
        var total_spread = SquareSum(0.0, 0.0, 0.0, 0u);
        var total_cosine = 0.0;
        for (var i = 0u; i < 64u; i++) {
            merge_square_sums(&total, scratch[i]);
            merge_square_sums(&total_spread, spread_scratch[i]);
            total_cosine += cosine_scratch[i];
        }
        let at = p.results_at + 3u * (group.x * p.batch + group.y);
        results[at] = pack_square_sum(total);
        results[at + 1u] = pack_square_sum(total_spread);
        results[at + 2u] = vec4<u32>(bitcast<u32>(total_cosine), 0u, 0u, 0u);
    }
}

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

// On a processor no more than step together: each other group of threads would be a routine of its own to switch to.
const THREADS = 4u * LANES;

// One over the norm of each token, as a factor on the values and a second one on what that gives, for the squares of
// the values themselves may leave f32.
var<workgroup> token_factor: array<vec2<f32>, 256>;
var<workgroup> scratch: array<vec4<u32>, THREADS>;
var<workgroup> spread_scratch: array<vec4<u32>, THREADS>;
var<workgroup> cosine_scratch: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let base = p.x_at + group.x * p.state_stride + group.y * p.tokens * p.stride;
    var squares = SquareSum(0.0, 0.0, 0.0, 0u);
    var spread = SquareSum(0.0, 0.0, 0.0, 0u);
    for (var t = local; t < p.tokens; t += THREADS) {
        let at = base + t * p.stride;
        var bits = vec4<u32>(0u);
        for (var i = 0u; i < p.stride; i++) {
            bits = max(bits, magnitudes(x[at + i]));
        }
        let unit = unit_of(largest_of(bits));
        var sum = 0.0;
        for (var i = 0u; i < p.stride; i++) {
            let value = x[at + i] * unit;
            sum += dot(value, value);
        }
        add_squares_in_units(&squares, sum, unit, largest_of(bits));
        token_factor[t] = vec2<f32>(unit, select(0.0, 1.0 / sqrt(sum), sum > 0.0));
    }
    workgroupBarrier();
    var cosine = 0.0;
    for (var i = local; i < p.stride; i += THREADS) {
        var sum = vec4<f32>(0.0);
        var own = vec4<f32>(0.0);
        // Less the first token, so that what the tokens share does not round what they do not.
        let first = x[base + i];
        var mean = vec4<f32>(0.0);
        // Of the largest token: what is next to nothing beside it is what rounding left.
        var unit = 1.7014118e38;
        for (var t = 0u; t < p.tokens; t++) {
            let value = x[base + t * p.stride + i];
            let u = value * token_factor[t].x * token_factor[t].y;
            sum += u;
            own += u * u;
            mean += (value - first) / f32(p.tokens);
            unit = min(unit, token_factor[t].x);
        }
        var squares_of_spread = vec4<f32>(0.0);
        var bits = vec4<u32>(0u);
        for (var t = 0u; t < p.tokens; t++) {
            let value = x[base + t * p.stride + i] - first - mean;
            squares_of_spread += value * unit * (value * unit);
            bits = max(bits, magnitudes(value));
        }
        add_squares_in_units(&spread, dot(squares_of_spread, vec4<f32>(1.0)), unit, largest_of(bits));
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
        for (var i = 0u; i < THREADS; i++) {
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

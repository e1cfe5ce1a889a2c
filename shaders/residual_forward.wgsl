// out = N_sum(skip x + N_branch(branch)) of each row, a norm that is not taken being the identity; all (rows, width).
// The branch is normalised in place. scale is (2, rows): of the branch's norm, then of the sum's. Each row leaves the
// square sums of its branch and of skip x in partials, (2, rows); where `profile`, the sum of its branch instead of the
// second. side is a second stream: with `side_mode` 1 the branch is added to it, with 2 it becomes x plus the branch, with
// 3 it becomes x, and with 4 it is added to the sum.
#import row
#import row_squares
#import norm
#import square_sum

struct Params {
    x_at: u32,
    branch_at: u32,
    out_at: u32,
    scale_at: u32,
    partials_at: u32,
    side_at: u32,
    rows: u32,
    width: u32,
    stride: u32,
    kind: u32,
    branch_norm: u32,
    sum_norm: u32,
    side_mode: u32,
    profile: u32,
    skip: f32,
    epsilon: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> branch: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> scale: array<f32>;
@group(0) @binding(5) var<storage, read_write> partials: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> side: array<vec4<f32>>;

@compute @workgroup_size(ROWS * LANES)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let lane = local % LANES;
    let row = ROWS * group.x + local / LANES;
    let valid = row < p.rows;
    let base = min(row, p.rows - 1u) * p.stride;
    if p.branch_norm == 1u {
        var first = vec4<f32>(0.0);
        for (var i = lane; i < p.stride; i += LANES) {
            let value = branch[p.branch_at + base + i];
            first.x += dot(value, vec4<f32>(0.0009765625));
            first.w = max(first.w, largest(value));
        }
        first = row_reduce(first, local);
        let unit = norm_unit(first.w);
        let mean = norm_mean(p.kind, first.x, p.width);
        var squares = 0.0;
        for (var i = lane; i < p.stride; i += LANES) {
            let value = (branch[p.branch_at + base + i] - mean) * inside(i, p.width) * unit;
            squares += dot(value, value);
        }
        squares = row_reduce(vec4<f32>(squares, 0.0, 0.0, 0.0), local).x;
        let factor = norm_scale(squares, p.width, unit, p.epsilon);
        if valid {
            for (var i = lane; i < p.stride; i += LANES) {
                let at = p.branch_at + base + i;
                branch[at] = (branch[at] - mean) * inside(i, p.width) * factor;
            }
            if lane == 0u {
                scale[4u * p.scale_at + row] = factor;
            }
        }
    }
    var first = vec4<f32>(0.0);
    var branch_squares = SquareSum(0.0, 0.0, 0.0, 0u);
    var stream_squares = SquareSum(0.0, 0.0, 0.0, 0u);
    var branch_total = 0.0;
    if valid {
        for (var i = lane; i < p.stride; i += LANES) {
            let f = branch[p.branch_at + base + i];
            let value = x[p.x_at + base + i];
            let s = p.skip * value;
            add_squares(&branch_squares, f);
            add_squares(&stream_squares, s);
            var sum = s + f;
            let at = p.side_at + base + i;
            switch p.side_mode {
                case 1u: { side[at] += f; }
                case 2u: { side[at] = value + f; }
                case 3u: { side[at] = value; }
                case 4u: { sum += side[at]; }
                default: {}
            }
            branch_total += dot(f, vec4<f32>(1.0));
            out[p.out_at + base + i] = sum;
            first.x += dot(sum, vec4<f32>(0.0009765625));
            first.w = max(first.w, largest(sum));
        }
    }
    let branch_sum = row_squares(branch_squares, local);
    if p.profile == 1u {
        stream_squares = SquareSum(0.0, branch_total, 0.0, bitcast<u32>(abs(branch_total)));
    }
    let stream_sum = row_squares(stream_squares, local);
    if lane == 0u && valid {
        partials[p.partials_at + row] = branch_sum;
        partials[p.partials_at + p.rows + row] = stream_sum;
    }
    if p.sum_norm == 1u {
        first = row_reduce(first, local);
        let unit = norm_unit(first.w);
        let mean = norm_mean(p.kind, first.x, p.width);
        var squares = 0.0;
        if valid {
            for (var i = lane; i < p.stride; i += LANES) {
                let value = (out[p.out_at + base + i] - mean) * inside(i, p.width) * unit;
                squares += dot(value, value);
            }
        }
        squares = row_reduce(vec4<f32>(squares, 0.0, 0.0, 0.0), local).x;
        let factor = norm_scale(squares, p.width, unit, p.epsilon);
        if valid {
            for (var i = lane; i < p.stride; i += LANES) {
                let at = p.out_at + base + i;
                out[at] = (out[at] - mean) * inside(i, p.width) * factor;
            }
            if lane == 0u {
                scale[4u * p.scale_at + p.rows + row] = factor;
            }
        }
    }
}

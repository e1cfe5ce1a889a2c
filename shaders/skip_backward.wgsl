// The gradient of a sublayer's input, both paths: grad = skip grad + N'(input_grad), in place; all (rows, width). The
// norm's part is the identity where `input_norm` is 0; normed and scale are what norm_forward left. With `adds_side` the
// gradient of a second stream is added, with `keeps` the result is also written to kept. Each row leaves the square sum
// of the result in partials, (rows). Workgroup y takes the cotangent of that number; input_grad, grad, side_grad, kept
// and partials have as many.
#import row
#import row_squares
#import norm
#import square_sum

struct Params {
    input_grad_at: u32,
    normed_at: u32,
    scale_at: u32,
    grad_at: u32,
    partials_at: u32,
    side_grad_at: u32,
    kept_at: u32,
    rows: u32,
    width: u32,
    stride: u32,
    kind: u32,
    input_norm: u32,
    adds_side: u32,
    keeps: u32,
    skip: f32,
    gain: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> input_grad: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> normed: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> scale: array<f32>;
@group(0) @binding(4) var<storage, read_write> grad: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> partials: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> side_grad: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> kept: array<vec4<f32>>;

@compute @workgroup_size(ROWS * LANES)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let lane = local % LANES;
    let row = ROWS * group.x + local / LANES;
    let valid = row < p.rows;
    let base = min(row, p.rows - 1u) * p.stride;
    // Of the gradients.
    let moving = base + group.y * p.rows * p.stride;
    var sums = vec4<f32>(0.0);
    if p.input_norm == 1u {
        for (var i = lane; i < p.stride; i += LANES) {
            let dy = input_grad[p.input_grad_at + moving + i] * p.gain;
            sums.x += dot(dy, normed[p.normed_at + base + i] / p.gain);
            sums.y += dot(dy, vec4<f32>(1.0));
        }
        sums = row_reduce(sums, local);
    }
    var squares = SquareSum(0.0, 0.0, 0.0, 0u);
    if valid {
        for (var i = lane; i < p.stride; i += LANES) {
            var dx = input_grad[p.input_grad_at + moving + i];
            if p.input_norm == 1u {
                let factor = scale[4u * p.scale_at + row];
                let y = normed[p.normed_at + base + i] / p.gain;
                dx = norm_gradient(p.kind, dx * p.gain, y, factor, sums, p.width);
                dx *= inside(i, p.width);
            }
            if p.skip != 0.0 {
                dx += p.skip * grad[p.grad_at + moving + i];
            }
            if p.adds_side == 1u {
                dx += side_grad[p.side_grad_at + moving + i];
            }
            grad[p.grad_at + moving + i] = dx;
            if p.keeps == 1u {
                kept[p.kept_at + moving + i] = dx;
            }
            add_squares(&squares, dx);
        }
    }
    let sum = row_squares(squares, local);
    if lane == 0u && valid {
        partials[p.partials_at + group.y * p.rows + row] = sum;
    }
}

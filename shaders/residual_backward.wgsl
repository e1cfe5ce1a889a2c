// The gradient through N_sum(skip x + N_branch(branch)): grad, in place, becomes that of the sum, and branch_grad that
// of the sublayer's output; all (rows, width). out and branch are the normalised rows that residual_forward left, scale
// its (2, rows). side_grad is the gradient of a second stream: with `side_mode` 1 it is added to branch_grad, with 2 it
// becomes that of the sum. With `keeps`, branch_grad is written also where it is the same as grad.
// Workgroup y takes the cotangent of that number; grad, branch_grad and side_grad have as many.
#import row
#import norm

struct Params {
    out_at: u32,
    branch_at: u32,
    scale_at: u32,
    grad_at: u32,
    branch_grad_at: u32,
    side_grad_at: u32,
    rows: u32,
    width: u32,
    stride: u32,
    kind: u32,
    branch_norm: u32,
    sum_norm: u32,
    side_mode: u32,
    keeps: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> out: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> branch: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> scale: array<f32>;
@group(0) @binding(4) var<storage, read_write> grad: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> branch_grad: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> side_grad: array<vec4<f32>>;

@compute @workgroup_size(ROWS * LANES)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let lane = local % LANES;
    let row = ROWS * group.x + local / LANES;
    let valid = row < p.rows;
    let base = min(row, p.rows - 1u) * p.stride;
    // Of the gradients.
    let moving = base + group.y * p.rows * p.stride;
    if p.sum_norm == 1u {
        var sums = vec4<f32>(0.0);
        for (var i = lane; i < p.stride; i += LANES) {
            let dy = grad[p.grad_at + moving + i];
            sums.x += dot(dy, out[p.out_at + base + i]);
            sums.y += dot(dy, vec4<f32>(1.0));
        }
        sums = row_reduce(sums, local);
        let factor = scale[4u * p.scale_at + p.rows + min(row, p.rows - 1u)];
        if valid {
            for (var i = lane; i < p.stride; i += LANES) {
                let at = p.grad_at + moving + i;
                let dx = norm_gradient(p.kind, grad[at], out[p.out_at + base + i], factor, sums, p.width);
                grad[at] = dx * inside(i, p.width);
            }
        }
    }
    if p.branch_norm == 1u {
        var sums = vec4<f32>(0.0);
        for (var i = lane; i < p.stride; i += LANES) {
            let dy = grad[p.grad_at + moving + i];
            sums.x += dot(dy, branch[p.branch_at + base + i]);
            sums.y += dot(dy, vec4<f32>(1.0));
        }
        sums = row_reduce(sums, local);
        let factor = scale[4u * p.scale_at + min(row, p.rows - 1u)];
        if valid {
            for (var i = lane; i < p.stride; i += LANES) {
                let dy = grad[p.grad_at + moving + i];
                let dx = norm_gradient(p.kind, dy, branch[p.branch_at + base + i], factor, sums, p.width);
                branch_grad[p.branch_grad_at + moving + i] = dx * inside(i, p.width);
            }
        }
    }
    if p.side_mode == 1u && valid {
        for (var i = lane; i < p.stride; i += LANES) {
            let dy = grad[p.grad_at + moving + i];
            branch_grad[p.branch_grad_at + moving + i] = dy + side_grad[p.side_grad_at + moving + i];
        }
    }
    if p.side_mode == 2u && valid {
        for (var i = lane; i < p.stride; i += LANES) {
            side_grad[p.side_grad_at + moving + i] = grad[p.grad_at + moving + i];
        }
    }
    if p.keeps == 1u && valid {
        for (var i = lane; i < p.stride; i += LANES) {
            branch_grad[p.branch_grad_at + moving + i] = grad[p.grad_at + moving + i];
        }
    }
}

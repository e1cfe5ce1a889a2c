// The tangent of N_sum(skip x + N_branch(branch)), in as many directions as there are workgroups in y: tangent, in
// place, is that of x and becomes that of the sum, branch_tangent is that of the sublayer's output; both are
// (directions, rows, width). out and branch are the normalised rows that residual_forward left, scale its (2, rows).
// side is the tangent of a second stream, with `side_mode` as there. With `skip` 0, x does not move.
#import row
#import norm

struct Params {
    out_at: u32,
    branch_at: u32,
    scale_at: u32,
    branch_tangent_at: u32,
    tangent_at: u32,
    side_at: u32,
    rows: u32,
    width: u32,
    stride: u32,
    kind: u32,
    branch_norm: u32,
    sum_norm: u32,
    side_mode: u32,
    skip: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> out: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> branch: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> scale: array<f32>;
@group(0) @binding(4) var<storage, read> branch_tangent: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> tangent: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> side: array<vec4<f32>>;

@compute @workgroup_size(ROWS * LANES)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let lane = local % LANES;
    let row = ROWS * group.x + local / LANES;
    let valid = row < p.rows;
    let known_row = min(row, p.rows - 1u);
    let base = known_row * p.stride;
    let moving = (group.y * p.rows + known_row) * p.stride;
    var sums = vec4<f32>(0.0);
    if p.branch_norm == 1u {
        for (var i = lane; i < p.stride; i += LANES) {
            let df = branch_tangent[p.branch_tangent_at + moving + i];
            sums.x += dot(df, branch[p.branch_at + base + i]);
            sums.y += dot(df, vec4<f32>(1.0));
        }
        sums = row_reduce(sums, local);
    }
    var of_sum = vec4<f32>(0.0);
    if valid {
        let factor = scale[4u * p.scale_at + known_row];
        for (var i = lane; i < p.stride; i += LANES) {
            var df = branch_tangent[p.branch_tangent_at + moving + i];
            if p.branch_norm == 1u {
                df = norm_gradient(p.kind, df, branch[p.branch_at + base + i], factor, sums, p.width);
                df *= inside(i, p.width);
            }
            var dx = vec4<f32>(0.0);
            if p.skip != 0.0 {
                dx = tangent[p.tangent_at + moving + i];
            }
            var sum = p.skip * dx + df;
            let at = p.side_at + moving + i;
            switch p.side_mode {
                case 1u: { side[at] += df; }
                case 2u: { side[at] = dx + df; }
                case 3u: { side[at] = dx; }
                case 4u: { sum += side[at]; }
                default: {}
            }
            tangent[p.tangent_at + moving + i] = sum;
            if p.sum_norm == 1u {
                of_sum.x += dot(sum, out[p.out_at + base + i]);
                of_sum.y += dot(sum, vec4<f32>(1.0));
            }
        }
    }
    if p.sum_norm == 1u {
        of_sum = row_reduce(of_sum, local);
        if valid {
            let factor = scale[4u * p.scale_at + p.rows + known_row];
            for (var i = lane; i < p.stride; i += LANES) {
                let at = p.tangent_at + moving + i;
                let dy = norm_gradient(p.kind, tangent[at], out[p.out_at + base + i], factor, of_sum, p.width);
                tangent[at] = dy * inside(i, p.width);
            }
        }
    }
}

// The tangent of y = gain N(x) from that of x, in as many directions as there are workgroups in y: tangent and out are
// (directions, rows, width); normed, (rows, width), and scale, (rows), are what norm_forward left. The Jacobian of a
// norm is symmetric, so this is the formula of its gradient.
#import row
#import norm

struct Params {
    tangent_at: u32,
    normed_at: u32,
    scale_at: u32,
    out_at: u32,
    rows: u32,
    width: u32,
    stride: u32,
    kind: u32,
    gain: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tangent: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> normed: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> scale: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(ROWS * LANES)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let lane = local % LANES;
    let row = ROWS * group.x + local / LANES;
    let base = p.normed_at + min(row, p.rows - 1u) * p.stride;
    let moving = (group.y * p.rows + min(row, p.rows - 1u)) * p.stride;
    var sums = vec4<f32>(0.0);
    for (var i = lane; i < p.stride; i += LANES) {
        let dx = tangent[p.tangent_at + moving + i];
        sums.x += dot(dx, normed[base + i] / p.gain);
        sums.y += dot(dx, vec4<f32>(1.0));
    }
    sums = row_reduce(sums, local);
    if row >= p.rows {
        return;
    }
    let factor = scale[4u * p.scale_at + row];
    for (var i = lane; i < p.stride; i += LANES) {
        let dx = tangent[p.tangent_at + moving + i];
        let dy = norm_gradient(p.kind, dx, normed[base + i] / p.gain, factor, sums, p.width);
        out[p.out_at + moving + i] = dy * p.gain * inside(i, p.width);
    }
}

// The tangent of act(h), or of h * silu(gate) where gated, in as many directions as there are workgroups in y: slopes, what
// tangents are multiplied with, is (rows, h) or (rows, h | gate), tangent (directions, rows, h) or (directions, rows,
// h | gate), out (directions, rows, h).

struct Params {
    slopes_at: u32,
    tangent_at: u32,
    out_at: u32,
    rows: u32,
    columns: u32,
    gated: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> slopes: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> tangent: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x / p.columns;
    if row >= p.rows {
        return;
    }
    let stride = p.columns * (1u + p.gated);
    let at = p.slopes_at + row * stride + id.x % p.columns;
    let moving = p.tangent_at + (id.y * p.rows + row) * stride + id.x % p.columns;
    var dy = tangent[moving] * slopes[at];
    if p.gated == 1u {
        dy += tangent[moving + p.columns] * slopes[at + p.columns];
    }
    out[p.out_at + id.y * p.rows * p.columns + id.x] = dy;
}

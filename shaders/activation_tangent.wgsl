// The tangent of act(h), or of h * silu(g) where gated, in as many directions as there are workgroups in y: hidden is
// (rows, h) or (rows, h | g), tangent (directions, rows, h) or (directions, rows, h | g), out (directions, rows, h).
#import activation

struct Params {
    hidden_at: u32,
    tangent_at: u32,
    out_at: u32,
    rows: u32,
    columns: u32,
    gated: u32,
    kind: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> hidden: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> tangent: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x / p.columns;
    if row >= p.rows {
        return;
    }
    let stride = p.columns * (1u + p.gated);
    let at = p.hidden_at + row * stride + id.x % p.columns;
    let moving = p.tangent_at + (id.y * p.rows + row) * stride + id.x % p.columns;
    var dy = vec4<f32>(0.0);
    if p.gated == 1u {
        let gate = hidden[at + p.columns];
        dy = tangent[moving] * activation4(p.kind, gate);
        dy += tangent[moving + p.columns] * hidden[at] * activation_slope4(p.kind, gate);
    } else {
        dy = tangent[moving] * activation_slope4(p.kind, hidden[at]);
    }
    out[p.out_at + id.y * p.rows * p.columns + id.x] = dy;
}

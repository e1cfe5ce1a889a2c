// out = act(h), or h * silu(g) where gated: hidden is (rows, h) or (rows, h | g), out (rows, h).
#import activation

struct Params {
    hidden_at: u32,
    out_at: u32,
    rows: u32,
    columns: u32,
    gated: u32,
    kind: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> hidden: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x / p.columns;
    if row >= p.rows {
        return;
    }
    let at = p.hidden_at + row * p.columns * (1u + p.gated) + id.x % p.columns;
    if p.gated == 1u {
        out[p.out_at + id.x] = hidden[at] * activation4(p.kind, hidden[at + p.columns]);
    } else {
        out[p.out_at + id.x] = activation4(p.kind, hidden[at]);
    }
}

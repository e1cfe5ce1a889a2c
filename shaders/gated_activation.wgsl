// out = h * silu(gate): hidden is (rows, h | gate) and becomes what a gradient of out is multiplied with on its way to
// either, (rows, silu(gate) | h * silu'(gate)); out is (rows, h).
#import activation

struct Params {
    hidden_at: u32,
    out_at: u32,
    rows: u32,
    columns: u32,
    kind: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> hidden: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x / p.columns;
    if row >= p.rows {
        return;
    }
    let at = p.hidden_at + 2u * row * p.columns + id.x % p.columns;
    let h = hidden[at];
    let gate = activate(p.kind, hidden[at + p.columns]);
    out[p.out_at + id.x] = h * gate.value;
    hidden[at] = gate.value;
    hidden[at + p.columns] = h * gate.slope;
}

// out = sum over the matrices of g W^T: g is (rows, 4 columns) with the gradients side by side, each W (4 out_columns,
// 4 group_columns), out (rows, 4 out_columns). A thread makes 8 rows by 4 columns in registers. With `mode` 1 or 2 the
// result is the gradient of act(h) or of h * silu(gate), and what is written is that of hidden: (rows, h) or (rows,
// h | gate).
#import activation

struct Params {
    g_at: u32,
    weight_at: u32,
    hidden_at: u32,
    out_at: u32,
    rows: u32,
    g_stride: u32,
    group_columns: u32,
    groups: u32,
    group_stride: u32,
    out_columns: u32,
    mode: u32,
    kind: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> g: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> weight: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> hidden: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;

fn g_row(row: u32) -> u32 {
    return p.g_at + min(row, p.rows - 1u) * p.g_stride;
}

fn product(x: vec4<f32>, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(dot(x, w0), dot(x, w1), dot(x, w2), dot(x, w3));
}

@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = id.x;
    let row = 8u * id.y;
    if column >= p.out_columns || row >= p.rows {
        return;
    }
    var s0 = vec4<f32>(0.0);
    var s1 = vec4<f32>(0.0);
    var s2 = vec4<f32>(0.0);
    var s3 = vec4<f32>(0.0);
    var s4 = vec4<f32>(0.0);
    var s5 = vec4<f32>(0.0);
    var s6 = vec4<f32>(0.0);
    var s7 = vec4<f32>(0.0);
    for (var group = 0u; group < p.groups; group++) {
        let r0 = g_row(row) + group * p.group_columns;
        let r1 = g_row(row + 1u) + group * p.group_columns;
        let r2 = g_row(row + 2u) + group * p.group_columns;
        let r3 = g_row(row + 3u) + group * p.group_columns;
        let r4 = g_row(row + 4u) + group * p.group_columns;
        let r5 = g_row(row + 5u) + group * p.group_columns;
        let r6 = g_row(row + 6u) + group * p.group_columns;
        let r7 = g_row(row + 7u) + group * p.group_columns;
        let w = p.weight_at + group * p.group_stride + 4u * column * p.group_columns;
        for (var k = 0u; k < p.group_columns; k++) {
            let w0 = weight[w + k];
            let w1 = weight[w + p.group_columns + k];
            let w2 = weight[w + 2u * p.group_columns + k];
            let w3 = weight[w + 3u * p.group_columns + k];
            s0 += product(g[r0 + k], w0, w1, w2, w3);
            s1 += product(g[r1 + k], w0, w1, w2, w3);
            s2 += product(g[r2 + k], w0, w1, w2, w3);
            s3 += product(g[r3 + k], w0, w1, w2, w3);
            s4 += product(g[r4 + k], w0, w1, w2, w3);
            s5 += product(g[r5 + k], w0, w1, w2, w3);
            s6 += product(g[r6 + k], w0, w1, w2, w3);
            s7 += product(g[r7 + k], w0, w1, w2, w3);
        }
    }
    let sums = array<vec4<f32>, 8>(s0, s1, s2, s3, s4, s5, s6, s7);
    for (var i = 0u; i < 8u && row + i < p.rows; i++) {
        let sum = sums[i];
        let at = row + i;
        if p.mode == 0u {
            out[p.out_at + at * p.out_columns + column] = sum;
        } else if p.mode == 1u {
            let h = hidden[p.hidden_at + at * p.out_columns + column];
            out[p.out_at + at * p.out_columns + column] = sum * activation_slope4(p.kind, h);
        } else {
            let left = 2u * at * p.out_columns + column;
            let h = hidden[p.hidden_at + left];
            let gate = hidden[p.hidden_at + left + p.out_columns];
            out[p.out_at + left] = sum * activation4(p.kind, gate);
            out[p.out_at + left + p.out_columns] = sum * h * activation_slope4(p.kind, gate);
        }
    }
}

// out = sum over the matrices of g W^T: g is (rows, 4 columns) with the gradients side by side, each W (4 out_columns,
// 4 group_columns), out (rows, 4 out_columns). A thread makes 8 rows by 8 columns in registers. With `mode` 1 or 2 the
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

// Writes one vec4 of the result, through the activation where asked.
fn store(row: u32, column: u32, sum: vec4<f32>) {
    if p.mode == 0u {
        out[p.out_at + row * p.out_columns + column] = sum;
    } else if p.mode == 1u {
        let at = row * p.out_columns + column;
        out[p.out_at + at] = sum * activation_slope4(p.kind, hidden[p.hidden_at + at]);
    } else {
        let left = 2u * row * p.out_columns + column;
        let h = hidden[p.hidden_at + left];
        let gate = hidden[p.hidden_at + left + p.out_columns];
        out[p.out_at + left] = sum * activation4(p.kind, gate);
        out[p.out_at + left + p.out_columns] = sum * h * activation_slope4(p.kind, gate);
    }
}

@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = 2u * id.x;
    let row = 8u * id.y;
    if column >= p.out_columns || row >= p.rows {
        return;
    }
    // Past the last column the second vec4 is computed and dropped.
    let has_second = column + 1u < p.out_columns;
    let second = select(0u, 4u * p.group_columns, has_second);
    var s0 = vec4<f32>(0.0);
    var s1 = vec4<f32>(0.0);
    var s2 = vec4<f32>(0.0);
    var s3 = vec4<f32>(0.0);
    var s4 = vec4<f32>(0.0);
    var s5 = vec4<f32>(0.0);
    var s6 = vec4<f32>(0.0);
    var s7 = vec4<f32>(0.0);
    var s8 = vec4<f32>(0.0);
    var s9 = vec4<f32>(0.0);
    var s10 = vec4<f32>(0.0);
    var s11 = vec4<f32>(0.0);
    var s12 = vec4<f32>(0.0);
    var s13 = vec4<f32>(0.0);
    var s14 = vec4<f32>(0.0);
    var s15 = vec4<f32>(0.0);
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
            let v0 = weight[w + second + k];
            let v1 = weight[w + second + p.group_columns + k];
            let v2 = weight[w + second + 2u * p.group_columns + k];
            let v3 = weight[w + second + 3u * p.group_columns + k];
            let x0 = g[r0 + k];
            s0 += product(x0, w0, w1, w2, w3);
            s8 += product(x0, v0, v1, v2, v3);
            let x1 = g[r1 + k];
            s1 += product(x1, w0, w1, w2, w3);
            s9 += product(x1, v0, v1, v2, v3);
            let x2 = g[r2 + k];
            s2 += product(x2, w0, w1, w2, w3);
            s10 += product(x2, v0, v1, v2, v3);
            let x3 = g[r3 + k];
            s3 += product(x3, w0, w1, w2, w3);
            s11 += product(x3, v0, v1, v2, v3);
            let x4 = g[r4 + k];
            s4 += product(x4, w0, w1, w2, w3);
            s12 += product(x4, v0, v1, v2, v3);
            let x5 = g[r5 + k];
            s5 += product(x5, w0, w1, w2, w3);
            s13 += product(x5, v0, v1, v2, v3);
            let x6 = g[r6 + k];
            s6 += product(x6, w0, w1, w2, w3);
            s14 += product(x6, v0, v1, v2, v3);
            let x7 = g[r7 + k];
            s7 += product(x7, w0, w1, w2, w3);
            s15 += product(x7, v0, v1, v2, v3);
        }
    }
    let left = array<vec4<f32>, 8>(s0, s1, s2, s3, s4, s5, s6, s7);
    let right = array<vec4<f32>, 8>(s8, s9, s10, s11, s12, s13, s14, s15);
    for (var i = 0u; i < 8u && row + i < p.rows; i++) {
        store(row + i, column, left[i]);
        if has_second {
            store(row + i, column + 1u, right[i]);
        }
    }
}

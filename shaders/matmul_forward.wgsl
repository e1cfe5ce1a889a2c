// out = a W for one or more matrices that share a: a is (rows, 4 inner), each W (4 inner, 4 group_columns), out
// (rows, 4 columns) with the products side by side. A thread makes 8 rows by 8 columns in registers.

struct Params {
    a_at: u32,
    weight_at: u32,
    out_at: u32,
    rows: u32,
    inner: u32,
    a_stride: u32,
    columns: u32,
    group_columns: u32,
    group_stride: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> weight: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

fn a_row(row: u32) -> u32 {
    return p.a_at + min(row, p.rows - 1u) * p.a_stride;
}

fn product(x: vec4<f32>, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>) -> vec4<f32> {
    return x.x * w0 + x.y * w1 + x.z * w2 + x.w * w3;
}

@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = 2u * id.x;
    let row = 8u * id.y;
    if column >= p.columns || row >= p.rows {
        return;
    }
    let group = column / p.group_columns;
    var w = p.weight_at + group * p.group_stride + column % p.group_columns;
    // The second vec4 may lie in the next matrix; past the last one it is computed and dropped.
    let has_second = column + 1u < p.columns;
    let second = select(column, column + 1u, has_second);
    var v = p.weight_at + second / p.group_columns * p.group_stride + second % p.group_columns;
    let r0 = a_row(row);
    let r1 = a_row(row + 1u);
    let r2 = a_row(row + 2u);
    let r3 = a_row(row + 3u);
    let r4 = a_row(row + 4u);
    let r5 = a_row(row + 5u);
    let r6 = a_row(row + 6u);
    let r7 = a_row(row + 7u);
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
    for (var k = 0u; k < p.inner; k++) {
        let w0 = weight[w];
        let w1 = weight[w + p.group_columns];
        let w2 = weight[w + 2u * p.group_columns];
        let w3 = weight[w + 3u * p.group_columns];
        let v0 = weight[v];
        let v1 = weight[v + p.group_columns];
        let v2 = weight[v + 2u * p.group_columns];
        let v3 = weight[v + 3u * p.group_columns];
        w += 4u * p.group_columns;
        v += 4u * p.group_columns;
        let x0 = a[r0 + k];
        s0 += product(x0, w0, w1, w2, w3);
        s8 += product(x0, v0, v1, v2, v3);
        let x1 = a[r1 + k];
        s1 += product(x1, w0, w1, w2, w3);
        s9 += product(x1, v0, v1, v2, v3);
        let x2 = a[r2 + k];
        s2 += product(x2, w0, w1, w2, w3);
        s10 += product(x2, v0, v1, v2, v3);
        let x3 = a[r3 + k];
        s3 += product(x3, w0, w1, w2, w3);
        s11 += product(x3, v0, v1, v2, v3);
        let x4 = a[r4 + k];
        s4 += product(x4, w0, w1, w2, w3);
        s12 += product(x4, v0, v1, v2, v3);
        let x5 = a[r5 + k];
        s5 += product(x5, w0, w1, w2, w3);
        s13 += product(x5, v0, v1, v2, v3);
        let x6 = a[r6 + k];
        s6 += product(x6, w0, w1, w2, w3);
        s14 += product(x6, v0, v1, v2, v3);
        let x7 = a[r7 + k];
        s7 += product(x7, w0, w1, w2, w3);
        s15 += product(x7, v0, v1, v2, v3);
    }
    let left = array<vec4<f32>, 8>(s0, s1, s2, s3, s4, s5, s6, s7);
    let right = array<vec4<f32>, 8>(s8, s9, s10, s11, s12, s13, s14, s15);
    for (var i = 0u; i < 8u && row + i < p.rows; i++) {
        let at = p.out_at + (row + i) * p.columns + column;
        out[at] = left[i];
        if has_second {
            out[at + 1u] = right[i];
        }
    }
}

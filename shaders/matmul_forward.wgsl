// out = a W for one or more matrices that share a: a is (rows, 4 inner), each W (4 inner, 4 group_columns), out
// (rows, 4 columns) with the products side by side. A thread makes a tile in registers. With `activates` what is written
// is activated, the activation of the products, and out becomes its slope.

#import activation

struct Params {
    a_at: u32,
    weight_at: u32,
    out_at: u32,
    activated_at: u32,
    rows: u32,
    inner: u32,
    a_stride: u32,
    columns: u32,
    group_columns: u32,
    group_stride: u32,
    activates: u32,
    kind: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> weight: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> activated: array<vec4<f32>>;

fn a_row(row: u32) -> u32 {
    return p.a_at + min(row, p.rows - 1u) * p.a_stride;
}

fn product(x: vec4<f32>, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>) -> vec4<f32> {
    return mat4x4<f32>(w0, w1, w2, w3) * x;
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = TILE_COLUMNS * id.x;
    let row = TILE_ROWS * id.y;
    if column >= p.columns || row >= p.rows {
        return;
    }
    // Columns may lie in different matrices; rows and columns past the last one are computed and dropped.
#repeat c TILE_COLUMNS
    let column{c} = min(column + {c}u, p.columns - 1u);
    var w{c} = p.weight_at + column{c} / p.group_columns * p.group_stride + column{c} % p.group_columns;
#end
#repeat r TILE_ROWS
    let a{r} = a_row(row + {r}u);
#repeat c TILE_COLUMNS
    var s{r}_{c} = vec4<f32>(0.0);
#end
#end
    for (var k = 0u; k < p.inner; k++) {
#repeat c TILE_COLUMNS
        let w{c}_0 = weight[w{c}];
        let w{c}_1 = weight[w{c} + p.group_columns];
        let w{c}_2 = weight[w{c} + 2u * p.group_columns];
        let w{c}_3 = weight[w{c} + 3u * p.group_columns];
        w{c} += 4u * p.group_columns;
#end
#repeat r TILE_ROWS
        let x{r} = a[a{r} + k];
#repeat c TILE_COLUMNS
        s{r}_{c} += product(x{r}, w{c}_0, w{c}_1, w{c}_2, w{c}_3);
#end
#end
    }
#repeat r TILE_ROWS
    if row + {r}u < p.rows {
        let at = p.out_at + (row + {r}u) * p.columns + column;
#repeat c TILE_COLUMNS
        if column + {c}u < p.columns {
            out[at + {c}u] = s{r}_{c};
        }
#end
    }
#end
    // Read back, for what is written out for each register takes its time whether it is wanted or not.
    let last_row = select(0u, min(row + TILE_ROWS, p.rows), p.activates == 1u);
    for (var r = row; r < last_row; r++) {
        for (var c = column; c < min(column + TILE_COLUMNS, p.columns); c++) {
            let result = activate(p.kind, out[p.out_at + r * p.columns + c]);
            out[p.out_at + r * p.columns + c] = result.slope;
            activated[p.activated_at + r * p.columns + c] = result.value;
        }
    }
}

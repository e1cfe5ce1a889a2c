// out = sum over the matrices of g W^T: g is (rows, 4 columns) with the gradients side by side, each W (4 out_columns,
// 4 group_columns), out (rows, 4 out_columns). A thread makes a tile in registers. With `factors` 1 or 2 the result is
// multiplied by as many slopes side by side: slopes and out are (rows, 4 out_columns) as often. Workgroup z takes the
// cotangent of that number; g and out have as many.

struct Params {
    g_at: u32,
    weight_at: u32,
    slopes_at: u32,
    out_at: u32,
    rows: u32,
    g_stride: u32,
    group_columns: u32,
    groups: u32,
    group_stride: u32,
    out_columns: u32,
    factors: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> g: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> weight: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> slopes: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;

fn product(x: vec4<f32>, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(dot(x, w0), dot(x, w1), dot(x, w2), dot(x, w3));
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = TILE_COLUMNS * id.x;
    let row = TILE_ROWS * id.y;
    if column >= p.out_columns || row >= p.rows {
        return;
    }
    // Rows and columns past the last one are computed and dropped.
#repeat c TILE_COLUMNS
    let w{c} = p.weight_at + 4u * min(column + {c}u, p.out_columns - 1u) * p.group_columns;
#end
    let first_g = p.g_at + id.z * p.rows * p.g_stride;
#repeat r TILE_ROWS
    let g{r} = first_g + min(row + {r}u, p.rows - 1u) * p.g_stride;
#repeat c TILE_COLUMNS
    var s{r}_{c} = vec4<f32>(0.0);
#end
#end
    for (var group = 0u; group < p.groups; group++) {
        let g_offset = group * p.group_columns;
        let w_offset = group * p.group_stride;
        for (var k = 0u; k < p.group_columns; k++) {
#repeat c TILE_COLUMNS
            let at{c} = w{c} + w_offset + k;
            let w{c}_0 = weight[at{c}];
            let w{c}_1 = weight[at{c} + p.group_columns];
            let w{c}_2 = weight[at{c} + 2u * p.group_columns];
            let w{c}_3 = weight[at{c} + 3u * p.group_columns];
#end
#repeat r TILE_ROWS
            let x{r} = g[g{r} + g_offset + k];
#repeat c TILE_COLUMNS
            s{r}_{c} += product(x{r}, w{c}_0, w{c}_1, w{c}_2, w{c}_3);
#end
#end
        }
    }
    let out_stride = max(p.factors, 1u) * p.out_columns;
    let first_out = p.out_at + id.z * p.rows * out_stride;
#repeat r TILE_ROWS
    if row + {r}u < p.rows {
        let at = first_out + (row + {r}u) * out_stride + column;
#repeat c TILE_COLUMNS
        if column + {c}u < p.out_columns {
            out[at + {c}u] = s{r}_{c};
        }
#end
    }
#end
    // Read back, for what is written out for each register takes its time whether it is wanted or not.
    let last_row = select(0u, min(row + TILE_ROWS, p.rows), p.factors > 0u);
    for (var r = row; r < last_row; r++) {
        for (var c = column; c < min(column + TILE_COLUMNS, p.out_columns); c++) {
            let sum = out[first_out + r * out_stride + c];
            for (var part = p.factors; part > 0u; part--) {
                let at = r * out_stride + (part - 1u) * p.out_columns + c;
                out[first_out + at] = sum * slopes[p.slopes_at + at];
            }
        }
    }
}

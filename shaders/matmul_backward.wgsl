// out = sum over the matrices of g W^T: g is (rows, 4 columns) with the gradients side by side, each W (4 out_columns,
// 4 group_columns), out (rows, 4 out_columns). A thread makes a tile in registers. With `mode` 1 or 2 the result is the
// gradient of act(h) or of h * silu(gate), and what is written is that of hidden: (rows, h) or (rows, h | gate).
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
#repeat r TILE_ROWS
    let g{r} = g_row(row + {r}u);
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
    var sums: array<vec4<f32>, TILE_ROWS * TILE_COLUMNS>;
#repeat r TILE_ROWS
#repeat c TILE_COLUMNS
    sums[{r}u * TILE_COLUMNS + {c}u] = s{r}_{c};
#end
#end
    for (var r = 0u; r < min(TILE_ROWS, p.rows - row); r++) {
        for (var c = 0u; c < min(TILE_COLUMNS, p.out_columns - column); c++) {
            store(row + r, column + c, sums[r * TILE_COLUMNS + c]);
        }
    }
}

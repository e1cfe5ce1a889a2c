// The weight gradients X^T G of one or more matrices that share X: x is (rows, fan_in), g (rows, 4 group_columns for
// each matrix), out (matrices, fan_in, 4 group_columns) with `group_stride` between them. A thread makes a tile in
// registers.
// The matrix `centred` takes its inputs less those of the sequence's first token, as in weight_gradient_norm.

struct Params {
    x_at: u32,
    g_at: u32,
    out_at: u32,
    sequences: u32,
    tokens: u32,
    x_stride: u32,
    g_stride: u32,
    group_columns: u32,
    group_stride: u32,
    centred: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> g: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = TILE_COLUMNS * id.x;
    let x_column = TILE_ROWS * id.y;
    if column >= p.group_columns || x_column >= p.x_stride {
        return;
    }
    // Columns past the last one are computed and dropped.
#repeat r TILE_ROWS
    let x{r}_step = min(x_column + {r}u, p.x_stride - 1u) - x_column;
#repeat c TILE_COLUMNS
    var s{r}_0_{c} = vec4<f32>(0.0);
    var s{r}_1_{c} = vec4<f32>(0.0);
    var s{r}_2_{c} = vec4<f32>(0.0);
    var s{r}_3_{c} = vec4<f32>(0.0);
#end
#end
#repeat c TILE_COLUMNS
    let g{c}_step = min(column + {c}u, p.group_columns - 1u) - column;
#end
    let centre = select(0.0, 1.0, id.z == p.centred);
    var x_at = p.x_at + x_column;
    var g_at = p.g_at + id.z * p.group_columns + column;
    for (var sequence = 0u; sequence < p.sequences; sequence++) {
#repeat r TILE_ROWS
        let first{r} = x[x_at + x{r}_step] * centre;
#end
        for (var token = 0u; token < p.tokens; token++) {
#repeat c TILE_COLUMNS
            let g{c} = g[g_at + g{c}_step];
#end
#repeat r TILE_ROWS
            let x{r} = x[x_at + x{r}_step] - first{r};
#repeat c TILE_COLUMNS
            s{r}_0_{c} += x{r}.x * g{c};
            s{r}_1_{c} += x{r}.y * g{c};
            s{r}_2_{c} += x{r}.z * g{c};
            s{r}_3_{c} += x{r}.w * g{c};
#end
#end
            x_at += p.x_stride;
            g_at += p.g_stride;
        }
    }
#repeat r TILE_ROWS
    if x_column + {r}u < p.x_stride {
        let at = p.out_at + id.z * p.group_stride + 4u * (x_column + {r}u) * p.group_columns + column;
#repeat c TILE_COLUMNS
        if column + {c}u < p.group_columns {
            out[at + {c}u] = s{r}_0_{c};
            out[at + p.group_columns + {c}u] = s{r}_1_{c};
            out[at + 2u * p.group_columns + {c}u] = s{r}_2_{c};
            out[at + 3u * p.group_columns + {c}u] = s{r}_3_{c};
        }
#end
    }
#end
}

// The weight gradients X^T G of one or more matrices that share X: x is (rows, fan_in), g (rows, 4 group_columns for
// each matrix), out (matrices, fan_in, 4 group_columns) with `group_stride` between them. A thread makes a tile in
// registers.

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
    let column = GRADIENT_COLUMNS * id.x;
    let x_column = GRADIENT_ROWS * id.y;
    if column >= p.group_columns || x_column >= p.x_stride {
        return;
    }
    let matrix = id.z;
    let first_x = p.x_at;
    let first_g = p.g_at;
#import gradient_tile
#repeat r GRADIENT_ROWS
    if x_column + {r}u < p.x_stride {
        let at = p.out_at + id.z * p.group_stride + 4u * (x_column + {r}u) * p.group_columns + column;
#repeat c GRADIENT_COLUMNS
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

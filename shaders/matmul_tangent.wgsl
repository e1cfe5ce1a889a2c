// The tangent of x W where both move: out = t W + x D for one or more matrices that share x, in two directions at once
// (workgroup z): D is the gradient of W, then its sign. x is (rows, 4 inner), its tangent t (2, rows, 4 inner), each W
// and each gradient (4 inner, 4 group_columns), out (2, rows, 4 columns) with the products side by side. With `moves` 0
// x does not move, and t is not read. A thread makes a tile in registers.

struct Params {
    tangent_at: u32,
    weight_at: u32,
    x_at: u32,
    gradient_at: u32,
    out_at: u32,
    rows: u32,
    inner: u32,
    columns: u32,
    group_columns: u32,
    group_stride: u32,
    moves: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tangent: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> weight: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> gradient: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;

fn product(x: vec4<f32>, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>) -> vec4<f32> {
    return mat4x4<f32>(w0, w1, w2, w3) * x;
}

fn direction(at: u32, signed: bool) -> vec4<f32> {
    let g = gradient[at];
    return select(g, sign(g), signed);
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
    let place{c} = column{c} / p.group_columns * p.group_stride + column{c} % p.group_columns;
#end
#repeat r TILE_ROWS
    let row{r} = min(row + {r}u, p.rows - 1u) * p.inner;
#repeat c TILE_COLUMNS
    var s{r}_{c} = vec4<f32>(0.0);
#end
#end
    if p.moves == 1u {
        // The counter carries the offset, here and below: where both loops add one to the same rows, llvmpipe takes 20
        // times as long.
        let t_at = p.tangent_at + id.z * p.rows * p.inner;
#repeat c TILE_COLUMNS
        var w{c} = p.weight_at + place{c};
#end
        for (var k = t_at; k < t_at + p.inner; k++) {
#repeat c TILE_COLUMNS
            let w{c}_0 = weight[w{c}];
            let w{c}_1 = weight[w{c} + p.group_columns];
            let w{c}_2 = weight[w{c} + 2u * p.group_columns];
            let w{c}_3 = weight[w{c} + 3u * p.group_columns];
            w{c} += 4u * p.group_columns;
#end
#repeat r TILE_ROWS
            let t{r} = tangent[row{r} + k];
#repeat c TILE_COLUMNS
            s{r}_{c} += product(t{r}, w{c}_0, w{c}_1, w{c}_2, w{c}_3);
#end
#end
        }
    }
    let signed = id.z == 1u;
#repeat c TILE_COLUMNS
    var d{c} = p.gradient_at + place{c};
#end
    for (var k = p.x_at; k < p.x_at + p.inner; k++) {
#repeat c TILE_COLUMNS
        let d{c}_0 = direction(d{c}, signed);
        let d{c}_1 = direction(d{c} + p.group_columns, signed);
        let d{c}_2 = direction(d{c} + 2u * p.group_columns, signed);
        let d{c}_3 = direction(d{c} + 3u * p.group_columns, signed);
        d{c} += 4u * p.group_columns;
#end
#repeat r TILE_ROWS
        let x{r} = x[row{r} + k];
#repeat c TILE_COLUMNS
        s{r}_{c} += product(x{r}, d{c}_0, d{c}_1, d{c}_2, d{c}_3);
#end
#end
    }
    let out_row = p.out_at + (id.z * p.rows + row) * p.columns + column;
#repeat r TILE_ROWS
    if row + {r}u < p.rows {
#repeat c TILE_COLUMNS
        if column + {c}u < p.columns {
            out[out_row + {r}u * p.columns + {c}u] = s{r}_{c};
        }
#end
    }
#end
}

// Back through the products x W of one or more matrices that share x: the first `norms` workgroups make the square sums of
// the weight gradients X^T G, which are never written, the others the gradient of x, the sum of G W^T. x is (rows,
// fan_in), g (rows, 4 group_columns for each matrix), each W (fan_in, 4 group_columns), out (rows, fan_in). A thread makes
// a tile in registers. With `factors` 1 or 2, out is multiplied by as many slopes side by side: (rows, fan_in) each.
// partials, (matrices, tiles_y, tiles_x), holds one square sum for each `tile_rows` vec4s of x by `tile_columns` of g.
// Workgroup y takes the cotangent of that number: g, out and partials have as many.
#import square_sum

struct Params {
    x_at: u32,
    g_at: u32,
    weight_at: u32,
    slopes_at: u32,
    out_at: u32,
    partials_at: u32,
    sequences: u32,
    tokens: u32,
    x_stride: u32,
    g_stride: u32,
    group_columns: u32,
    groups: u32,
    group_stride: u32,
    centred: u32,
    factors: u32,
    tiles_x: u32,
    tiles_y: u32,
    tile_columns: u32,
    tile_rows: u32,
    norms: u32,
    norms_x: u32,
    norms_y: u32,
    products_x: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> g: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weight: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> slopes: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> partials: array<vec4<u32>>;

#if SHARED
var<workgroup> square_scratch: array<vec4<u32>, THREADS_X * THREADS_Y>;
#end

fn product(x: vec4<f32>, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(dot(x, w0), dot(x, w1), dot(x, w2), dot(x, w3));
}

fn input_gradient(group: u32, cotangent: u32, thread: vec2<u32>) {
    let rows = p.sequences * p.tokens;
    let column = TILE_COLUMNS * (group % p.products_x * THREADS_X + thread.x);
    let row = TILE_ROWS * (group / p.products_x * THREADS_Y + thread.y);
    if column >= p.x_stride || row >= rows {
        return;
    }
    // Rows and columns past the last one are computed and dropped.
#repeat c TILE_COLUMNS
    let w{c} = p.weight_at + 4u * min(column + {c}u, p.x_stride - 1u) * p.group_columns;
#end
    let first_g = p.g_at + cotangent * rows * p.g_stride;
#repeat r TILE_ROWS
    let g{r} = first_g + min(row + {r}u, rows - 1u) * p.g_stride;
#repeat c TILE_COLUMNS
    var s{r}_{c} = vec4<f32>(0.0);
#end
#end
    for (var matrix = 0u; matrix < p.groups; matrix++) {
        let g_offset = matrix * p.group_columns;
        let w_offset = matrix * p.group_stride;
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
    let side_by_side = max(p.factors, 1u);
    let first_out = p.out_at + cotangent * rows * side_by_side * p.x_stride + column;
    let first_slope = p.slopes_at + column;
#repeat r TILE_ROWS
    if row + {r}u < rows {
        let at = (row + {r}u) * side_by_side * p.x_stride;
#repeat c TILE_COLUMNS
        if column + {c}u < p.x_stride {
            if p.factors == 0u {
                out[first_out + at + {c}u] = s{r}_{c};
            } else {
                out[first_out + at + {c}u] = s{r}_{c} * slopes[first_slope + at + {c}u];
            }
            if p.factors == 2u {
                let right = at + p.x_stride + {c}u;
                out[first_out + right] = s{r}_{c} * slopes[first_slope + right];
            }
        }
#end
    }
#end
}

fn gradient_norm(group: u32, cotangent: u32, thread: vec2<u32>, local: u32) {
    let matrix = group / (p.norms_x * p.norms_y);
    let column = GRADIENT_COLUMNS * (group % p.norms_x * THREADS_X + thread.x);
    let x_column = GRADIENT_ROWS * (group / p.norms_x % p.norms_y * THREADS_Y + thread.y);
    let valid = column < p.group_columns && x_column < p.x_stride;
    var squares = SquareSum(0.0, 0.0, 0.0, 0u);
    if valid {
        let first_x = p.x_at;
        let first_g = p.g_at + cotangent * p.sequences * p.tokens * p.g_stride;
#import gradient_tile
#repeat r GRADIENT_ROWS
#repeat c GRADIENT_COLUMNS
        if x_column + {r}u < p.x_stride && column + {c}u < p.group_columns {
            add_squares(&squares, s{r}_0_{c});
            add_squares(&squares, s{r}_1_{c});
            add_squares(&squares, s{r}_2_{c});
            add_squares(&squares, s{r}_3_{c});
        }
#end
#end
    }
    let tile = (matrix * p.tiles_y + x_column / p.tile_rows) * p.tiles_x + column / p.tile_columns;
    let place = p.partials_at + cotangent * p.groups * p.tiles_y * p.tiles_x + tile;
#if SHARED
    square_scratch[local] = pack_square_sum(squares);
    workgroupBarrier();
    if local == 0u {
        var total = SquareSum(0.0, 0.0, 0.0, 0u);
        for (var i = 0u; i < THREADS_X * THREADS_Y; i++) {
            merge_square_sums(&total, square_scratch[i]);
        }
        partials[place] = pack_square_sum(total);
    }
#end
    if SHARED == 0u && valid {
        partials[place] = pack_square_sum(squares);
    }
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(
    @builtin(local_invocation_id) thread: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    if group.x < p.norms {
        gradient_norm(group.x, group.y, thread.xy, local);
    } else {
        input_gradient(group.x - p.norms, group.y, thread.xy);
    }
}

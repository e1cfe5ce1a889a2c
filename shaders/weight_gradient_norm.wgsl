// The squares of the weight gradients X^T G, summed and never written: x is (rows, fan_in), g (rows, 4 group_columns
// for each matrix). A thread makes a tile of the gradient in registers; partials, (matrices, tiles_y, tiles_x), holds one
// square sum for each `tile_rows` vec4s of x by `tile_columns` of g.
// The key gradients of a sequence sum to zero, so the matrix `centred` takes its inputs less those of the sequence's
// first token, as the attention kernels do.
#import square_sum

struct Params {
    x_at: u32,
    g_at: u32,
    partials_at: u32,
    sequences: u32,
    tokens: u32,
    x_stride: u32,
    g_stride: u32,
    group_columns: u32,
    centred: u32,
    tiles_x: u32,
    tiles_y: u32,
    tile_columns: u32,
    tile_rows: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> g: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> partials: array<vec4<u32>>;

var<workgroup> square_scratch: array<vec4<u32>, THREADS_X * THREADS_Y>;

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    let column = TILE_COLUMNS * id.x;
    let x_column = TILE_ROWS * id.y;
    let valid = column < p.group_columns && x_column < p.x_stride;
    var squares = SquareSum(0.0, 0.0, 0.0, 0u);
    if valid {
        // Columns past the last one are computed, and count nothing.
#repeat r TILE_ROWS
        let x{r}_step = min(x_column + {r}u, p.x_stride - 1u) - x_column;
        let x{r}_counts = select(0.0, 1.0, x_column + {r}u < p.x_stride);
#repeat c TILE_COLUMNS
        var s{r}_0_{c} = vec4<f32>(0.0);
        var s{r}_1_{c} = vec4<f32>(0.0);
        var s{r}_2_{c} = vec4<f32>(0.0);
        var s{r}_3_{c} = vec4<f32>(0.0);
#end
#end
#repeat c TILE_COLUMNS
        let g{c}_step = min(column + {c}u, p.group_columns - 1u) - column;
        let g{c}_counts = select(0.0, 1.0, column + {c}u < p.group_columns);
#end
        let centre = select(0.0, 1.0, group.z == p.centred);
        var x_at = p.x_at + x_column;
        var g_at = p.g_at + group.z * p.group_columns + column;
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
#repeat c TILE_COLUMNS
        add_squares(&squares, s{r}_0_{c} * (x{r}_counts * g{c}_counts));
        add_squares(&squares, s{r}_1_{c} * (x{r}_counts * g{c}_counts));
        add_squares(&squares, s{r}_2_{c} * (x{r}_counts * g{c}_counts));
        add_squares(&squares, s{r}_3_{c} * (x{r}_counts * g{c}_counts));
#end
#end
    }
    let place = (group.z * p.tiles_y + x_column / p.tile_rows) * p.tiles_x + column / p.tile_columns;
    if LANES == 1u {
        if valid {
            partials[p.partials_at + place] = pack_square_sum(squares);
        }
        return;
    }
    square_scratch[local] = pack_square_sum(squares);
    workgroupBarrier();
    if local == 0u {
        var total = SquareSum(0.0, 0.0, 0.0, 0u);
        for (var i = 0u; i < THREADS_X * THREADS_Y; i++) {
            merge_square_sums(&total, square_scratch[i]);
        }
        partials[p.partials_at + place] = pack_square_sum(total);
    }
}

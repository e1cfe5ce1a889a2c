// The squares of weight gradients X^T G, summed and never written. x is (rows, fan_in), g (rows, 4 group_columns for each
// of `groups` matrices); `x_step` and `g_step` further on lie those of the next instance: another block's, or the same x
// with another cotangent. Workgroup z goes over the matrices of one instance after the other. A thread makes a tile of a
// gradient in registers; partials, (instances, groups, tiles_y, tiles_x), holds a square sum of those tiles of `tile_rows`
// vec4s of x by `tile_columns` of g that lie `tiles_y` apart. Where gram, (instances, groups, gram_sums), has sums over
// pairs of rows that can be believed, they are taken instead.
#import square_sum
#import gram

struct Params {
    x_at: u32,
    g_at: u32,
    gram_at: u32,
    partials_at: u32,
    sequences: u32,
    tokens: u32,
    x_stride: u32,
    g_stride: u32,
    group_columns: u32,
    groups: u32,
    centred: u32,
    x_step: u32,
    g_step: u32,
    tiles_x: u32,
    tiles_y: u32,
    tile_columns: u32,
    tile_rows: u32,
    gram_sums: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> g: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> gram: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> partials: array<vec4<u32>>;

#if SHARED
var<workgroup> square_scratch: array<vec4<u32>, THREADS_X * THREADS_Y>;
var<workgroup> gram_scratch: array<vec4<f32>, THREADS_X * THREADS_Y>;
#end

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    let column = GRADIENT_COLUMNS * id.x;
    let first_row = GRADIENT_ROWS * id.y;
    let matrix = group.z % p.groups;
    var squares = SquareSum(0.0, 0.0, 0.0, 0u);
    var end = select(0u, p.x_stride, column < p.group_columns);
    if p.gram_sums > 0u {
        let first_sum = p.gram_at + group.z * p.gram_sums;
        var sums = vec4<f32>(0.0);
#if SHARED
        for (var i = local; i < p.gram_sums; i += THREADS_X * THREADS_Y) {
            sums += gram[first_sum + i];
        }
        gram_scratch[local] = sums;
        workgroupBarrier();
        sums = vec4<f32>(0.0);
        for (var i = 0u; i < THREADS_X * THREADS_Y; i++) {
            sums += gram_scratch[i];
        }
#end
        if SHARED == 0u {
            for (var i = 0u; i < p.gram_sums; i++) {
                sums += gram[first_sum + i];
            }
        }
        // llvmpipe also runs lanes past the last thread, which read nothing: no loop is to go on for them.
        end = select(end, 0u, is_resolved(sums) || sums.w == 0.0);
        if is_resolved(sums) {
            if id.x + id.y == 0u {
                squares = square_sum_of_gram(sums);
            }
        }
    }
    for (var x_column = first_row; x_column < end; x_column += p.tiles_y * p.tile_rows) {
        let first_x = p.x_at + group.z / p.groups * p.x_step;
        let first_g = p.g_at + group.z / p.groups * p.g_step;
#import gradient_tile
#import gradient_squares
    }
    let place = p.partials_at + (group.z * p.tiles_y + first_row / p.tile_rows) * p.tiles_x + column / p.tile_columns;
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
    if SHARED == 0u && column < p.group_columns && first_row < p.x_stride {
        partials[place] = pack_square_sum(squares);
    }
}

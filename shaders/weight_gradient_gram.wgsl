// The square sums of weight gradients X^T G without the gradients: of all pairs of rows (x_i . x_j) (g_i . g_j). With fewer
// rows than columns that takes fewer products. `matrices` of them, `groups` to an instance, lie as in
// weight_gradient_norm; each `same_x` that follow each other have the same x, and workgroup z goes over those.
// Pairs come in tiles of GRAM_ROWS by GRAM_ROWS, the lower half of `tiles` by `tiles`, folded to a rectangle: its rows
// `fold` from the end and from the start side by side. gram is (matrices, tiles of pairs).
#import gram

struct Params {
    x_at: u32,
    g_at: u32,
    gram_at: u32,
    rows: u32,
    x_stride: u32,
    g_stride: u32,
    group_columns: u32,
    groups: u32,
    x_step: u32,
    g_step: u32,
    matrices: u32,
    same_x: u32,
    tiles: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> g: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> gram: array<vec4<f32>>;

#if SHARED
var<workgroup> pair_scratch: array<f32, GRAM_ROWS * GRAM_ROWS * THREADS_X * THREADS_Y>;
var<workgroup> sum_scratch: array<vec3<f32>, THREADS_X * THREADS_Y>;

// Of a pair of rows over all threads. Each thread starts elsewhere, for they are to read different banks.
fn pair_sum(pair: u32, local: u32) -> f32 {
    let lanes = THREADS_X * THREADS_Y;
    var sum = 0.0;
    for (var i = 0u; i < lanes; i++) {
        sum += pair_scratch[pair * lanes + (local + i) % lanes];
    }
    return sum;
}
#end

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    // A workgroup makes a tile, its threads sharing the columns; where the device is a processor, a thread does.
    let lane = select(0u, local, SHARED == 1u);
    let lanes = select(1u, THREADS_X * THREADS_Y, SHARED == 1u);
    let place = select(id.x, group.x, SHARED == 1u);
    let across = p.tiles + 1u;
    let places = across * ((p.tiles + 1u) / 2u);
    let fold = place / across;
    let lower = p.tiles - min(fold, p.tiles);
    let is_lower = place % across < lower;
    let i_tile = select(fold, lower - 1u, is_lower);
    let j_tile = place % across - select(lower, 0u, is_lower);
    // In the middle of an odd number the same row would follow itself.
    let is_diagonal = i_tile == j_tile;
    let valid = place < places && (is_lower || lower - 1u != fold);
    let weight = select(0.0, select(2.0, 1.0, is_diagonal), valid);
    let x_end = select(0u, p.x_stride, valid);
    let g_end = select(0u, p.group_columns, valid);
    let first = p.same_x * group.z;
    let first_x = p.x_at + first / p.groups * p.x_step;
#repeat r GRAM_ROWS
    let i{r} = min(GRAM_ROWS * i_tile + {r}u, p.rows - 1u);
    let j{r} = min(GRAM_ROWS * j_tile + {r}u, p.rows - 1u);
    let i{r}_counts = select(0.0, 1.0, GRAM_ROWS * i_tile + {r}u < p.rows);
    let j{r}_counts = select(0.0, weight, GRAM_ROWS * j_tile + {r}u < p.rows);
    let x_i{r} = first_x + i{r} * p.x_stride;
    let x_j{r} = first_x + j{r} * p.x_stride;
#repeat c GRAM_ROWS
    var a{r}_{c} = 0.0;
#end
#end
    for (var k = lane; k < x_end; k += lanes) {
#repeat c GRAM_ROWS
        let right{c} = x[x_j{c} + k];
#end
#repeat r GRAM_ROWS
        let left{r} = x[x_i{r} + k];
#repeat c GRAM_ROWS
        a{r}_{c} += dot(left{r}, right{c});
#end
#end
    }
#if SHARED
#repeat r GRAM_ROWS
#repeat c GRAM_ROWS
    pair_scratch[({r}u * GRAM_ROWS + {c}u) * lanes + local] = a{r}_{c};
#end
#end
    workgroupBarrier();
#repeat h GRAM_PAIRS
    let pair{h} = local + {h}u * lanes;
    let i_row{h} = GRAM_ROWS * i_tile + pair{h} / GRAM_ROWS;
    let j_row{h} = GRAM_ROWS * j_tile + pair{h} % GRAM_ROWS;
    let counts{h} = select(0.0, weight, max(i_row{h}, j_row{h}) < p.rows);
    let of_x{h} = pair_sum(pair{h}, local) * counts{h};
    let itself{h} = select(0.0, 1.0, i_row{h} == j_row{h});
#end
#end
    if SHARED == 0u {
#repeat r GRAM_ROWS
#repeat c GRAM_ROWS
        a{r}_{c} *= i{r}_counts * j{c}_counts;
#end
#end
    }
    let itself = select(0.0, 1.0, is_diagonal);
    // What f32 loses of a dot product, for each of the other's squares.
    let x_lost = 4.0 * f32(p.rows) * f32(p.x_stride) * 1.1754943508222875e-38;
    let g_lost = 4.0 * f32(p.rows) * f32(p.group_columns) * 1.1754943508222875e-38;
    for (var matrix = first; matrix < min(first + p.same_x, p.matrices); matrix++) {
        let first_g = p.g_at + matrix / p.groups * p.g_step + matrix % p.groups * p.group_columns;
#repeat r GRAM_ROWS
        let g_i{r} = first_g + i{r} * p.g_stride;
        let g_j{r} = first_g + j{r} * p.g_stride;
#repeat c GRAM_ROWS
        var b{r}_{c} = 0.0;
#end
#end
        for (var k = lane; k < g_end; k += lanes) {
#repeat c GRAM_ROWS
            let right{c} = g[g_j{c} + k];
#end
#repeat r GRAM_ROWS
            let left{r} = g[g_i{r} + k] * GRAM_SCALE;
#repeat c GRAM_ROWS
            b{r}_{c} += dot(left{r}, right{c});
#end
#end
        }
        var sums = vec3<f32>(0.0);
#if SHARED
        workgroupBarrier();
#repeat r GRAM_ROWS
#repeat c GRAM_ROWS
        pair_scratch[({r}u * GRAM_ROWS + {c}u) * lanes + local] = b{r}_{c};
#end
#end
        workgroupBarrier();
#repeat h GRAM_PAIRS
        let of_g{h} = pair_sum(pair{h}, local);
        let lost{h} = of_g{h} * counts{h} * x_lost + of_x{h} * g_lost;
        sums += vec3<f32>(of_x{h} * of_g{h}, vec2<f32>(of_x{h} * of_g{h}, lost{h}) * itself{h});
#end
        sum_scratch[local] = sums;
        workgroupBarrier();
        if local == 0u {
            var total = vec3<f32>(0.0);
            for (var i = 0u; i < lanes; i++) {
                total += sum_scratch[i];
            }
            gram[p.gram_at + matrix * places + place] = vec4<f32>(total, 1.0);
        }
#end
        if SHARED == 0u {
#repeat r GRAM_ROWS
#repeat c GRAM_ROWS
            sums.x += a{r}_{c} * b{r}_{c};
#end
            sums.y += a{r}_{r} * b{r}_{r} * itself;
            sums.z += (b{r}_{r} * i{r}_counts * x_lost + a{r}_{r} * g_lost) * itself;
#end
            if place < places {
                gram[p.gram_at + matrix * places + place] = vec4<f32>(sums, 1.0);
            }
        }
    }
}

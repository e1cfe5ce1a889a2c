use crate::cpu::SquareSum;
use crate::plan::ProductBackward;

/// Twin of `product_backward.wgsl`: `x` is (rows, fan_in), `g` (cotangents, rows, fan_out of each matrix), `out`
/// (cotangents, rows, fan_in) once or twice, `slopes` (rows, fan_in) as often, `partials` (cotangents, matrices,
/// `tiles_y`, `tiles_x`). Products are equal to 1e-5 of the sum of the absolute products, square sums to 1e-5 of the sum of
/// the squared row norms' products.
#[expect(clippy::too_many_arguments, reason = "they are the shader's bindings, in its order")]
pub(super) fn product_backward(
    p: &ProductBackward,
    x: &[f32],
    g: &[f32],
    weight: &[f32],
    slopes: &[f32],
    out: &mut [f32],
    partials: &mut [SquareSum],
    [workgroups, cotangents, _]: [u32; 3],
) {
    let rows = (p.sequences * p.tokens) as usize;
    let fan_in = 4 * p.x_stride as usize;
    let tiles = (p.groups * p.tiles_x * p.tiles_y) as usize;
    for cotangent in 0..cotangents as usize {
        let g = &g[cotangent * rows * 4 * p.g_stride as usize..];
        if p.norms > 0 {
            gradient_norms(p, x, g, &mut partials[cotangent * tiles..]);
        }
        if workgroups > p.norms {
            input_gradient(p, g, weight, slopes, &mut out[cotangent * rows * fan_in * p.factors.max(1) as usize..]);
        }
    }
}

fn input_gradient(p: &ProductBackward, g: &[f32], weight: &[f32], slopes: &[f32], out: &mut [f32]) {
    let (g_stride, group_columns) = (4 * p.g_stride as usize, 4 * p.group_columns as usize);
    let (columns, group_stride) = (4 * p.x_stride as usize, 4 * p.group_stride as usize);
    let out_stride = columns * p.factors.max(1) as usize;
    for row in 0..(p.sequences * p.tokens) as usize {
        let g = &g[row * g_stride..][..group_columns * p.groups as usize];
        for column in 0..columns {
            let products = g.chunks_exact(group_columns).enumerate().map(|(group, g)| {
                let weight = &weight[group * group_stride + column * group_columns..][..group_columns];
                dot(g, weight)
            });
            let sum: f32 = products.sum();
            let at = row * out_stride + column;
            out[at] = if p.factors == 0 { sum } else { sum * slopes[at] };
            if p.factors == 2 {
                out[at + columns] = sum * slopes[at + columns];
            }
        }
    }
}

/// In four sums, as the shader's vec4s have it; the compiler may then use vector instructions.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 4];
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        for i in 0..4 {
            sums[i] += a[i] * b[i];
        }
    }
    sums[0] + sums[1] + sums[2] + sums[3]
}

fn gradient_norms(p: &ProductBackward, x: &[f32], g: &[f32], partials: &mut [SquareSum]) {
    let (x_stride, g_stride) = (4 * p.x_stride as usize, 4 * p.g_stride as usize);
    let (tiles_x, tiles_y) = (p.tiles_x as usize, p.tiles_y as usize);
    let group_columns = 4 * p.group_columns as usize;
    let tokens = p.tokens as usize;
    let (g_tile, x_tile) = (4 * p.tile_columns as usize, 4 * p.tile_rows as usize);
    let mut tile = vec![0f32; g_tile * x_tile];
    for matrix in 0..p.groups as usize {
        for (y, tile_x) in (0..tiles_y).flat_map(|y| (0..tiles_x).map(move |x| (y, x))) {
            let x_columns = x_tile * y..(x_tile * (y + 1)).min(x_stride);
            let g_columns = g_tile * tile_x..(g_tile * (tile_x + 1)).min(group_columns);
            let tile = &mut tile[..x_columns.len() * g_columns.len()];
            tile.fill(0.0);
            for sequence in 0..p.sequences as usize {
                let first_row = &x[sequence * tokens * x_stride..][x_columns.clone()];
                for row in sequence * tokens..(sequence + 1) * tokens {
                    let x = &x[row * x_stride..][x_columns.clone()];
                    let g = &g[row * g_stride + matrix * group_columns..][g_columns.clone()];
                    for ((x, first), tile) in x.iter().zip(first_row).zip(tile.chunks_exact_mut(g.len())) {
                        let x = if matrix == p.centred as usize { x - first } else { *x };
                        for (tile, g) in tile.iter_mut().zip(g) {
                            *tile += x * g;
                        }
                    }
                }
            }
            partials[(matrix * tiles_y + y) * tiles_x + tile_x] = SquareSum::of(tile);
        }
    }
}

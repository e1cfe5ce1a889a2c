use crate::cpu::SquareSum;
use crate::cpu::shared::gram::resolved;
use crate::plan::WeightGradientNorm;

/// Twin of `weight_gradient_norm.wgsl`: `x` is (rows, fan_in) and `g` (rows, fan_out of each matrix), those of the
/// instances a step apart, `gram` (matrices, `gram_sums`, 4), `partials` (instances, matrices, `tiles_y`, `tiles_x`).
/// Equal to 1e-5 of the sum of the squared row norms' products.
pub(super) fn weight_gradient_norm(
    p: &WeightGradientNorm,
    x: &[f32],
    g: &[f32],
    gram: &[f32],
    partials: &mut [SquareSum],
    matrices: u32,
) {
    let (x_stride, g_stride) = (4 * p.x_stride as usize, 4 * p.g_stride as usize);
    let (tiles_x, tiles_y) = (p.tiles_x as usize, p.tiles_y as usize);
    let group_columns = 4 * p.group_columns as usize;
    let tokens = p.tokens as usize;
    let (g_tile, x_tile) = (4 * p.tile_columns as usize, 4 * p.tile_rows as usize);
    let mut tile = vec![0f32; g_tile * x_tile];
    for place in 0..matrices as usize {
        let (instance, matrix) = (place / p.groups as usize, place % p.groups as usize);
        let x = &x[4 * instance * p.x_step as usize..];
        let g = &g[4 * instance * p.g_step as usize..];
        let partials = &mut partials[place * tiles_x * tiles_y..][..tiles_x * tiles_y];
        partials.fill(SquareSum::default());
        let sums = &gram[4 * place * p.gram_sums as usize..][..4 * p.gram_sums as usize];
        if let Some(sum) = resolved(sums) {
            partials[0] = sum;
            continue;
        }
        for (y, tile_x) in (0..x_stride.div_ceil(x_tile)).flat_map(|y| (0..tiles_x).map(move |x| (y, x))) {
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
            partials[y % tiles_y * tiles_x + tile_x].merge(&SquareSum::of(tile));
        }
    }
}

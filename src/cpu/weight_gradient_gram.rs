use crate::cpu::shared::gram::SCALE;
use crate::plan::{Tuning, WeightGradientGram};

/// Rows of a tile, on both sides.
const ROWS: usize = Tuning::GRAM_ROWS as usize;

/// Products of every row of tile `i`, times `scale`, with every row of tile `j`; rows of `columns`, of which there are
/// `rows`, lie `stride` apart.
fn products(
    of: &[f32],
    (rows, columns, stride): (usize, usize, usize),
    (i, j): (usize, usize),
    scale: f32,
) -> [[f32; ROWS]; ROWS] {
    /// Rows whose products stay in registers.
    const LEFT: usize = 2;
    const RIGHT: usize = 4;
    let row = |index: usize| &of[stride * index.min(rows - 1)..][..columns];
    let mut tile = [[0f32; ROWS]; ROWS];
    for r in (0..ROWS).step_by(LEFT) {
        let left: [&[f32]; LEFT] = std::array::from_fn(|k| row(ROWS * i + r + k));
        for c in (0..ROWS).step_by(RIGHT) {
            let right: [&[f32]; RIGHT] = std::array::from_fn(|k| row(ROWS * j + c + k));
            let mut sums = [[[0f32; 4]; RIGHT]; LEFT];
            for at in (0..columns).step_by(4) {
                let vec4 = |row: &[f32]| <[f32; 4]>::try_from(&row[at..at + 4]).expect("rows are padded to vec4s");
                let right = right.map(vec4);
                for (left, sums) in left.iter().zip(&mut sums) {
                    let left = vec4(left).map(|x| x * scale);
                    for (right, sum) in right.iter().zip(sums) {
                        for lane in 0..4 {
                            sum[lane] += left[lane] * right[lane];
                        }
                    }
                }
            }
            for (tile, sums) in tile[r..].iter_mut().zip(&sums) {
                for (product, sum) in tile[c..].iter_mut().zip(sums) {
                    *product = (sum[0] + sum[1]) + (sum[2] + sum[3]);
                }
            }
        }
    }
    tile
}

/// Twin of `weight_gradient_gram.wgsl`: `x` is (rows, fan_in) and `g` (rows, fan_out of each matrix), those of the
/// instances a step apart, `gram` (matrices, tiles of pairs, 4). Equal to 1e-5 of the largest sum over a tile.
pub(super) fn weight_gradient_gram(p: &WeightGradientGram, x: &[f32], g: &[f32], gram: &mut [f32]) {
    let vec4s = |count: u32| 4 * count as usize;
    let (x_columns, g_columns) = (vec4s(p.x_stride), vec4s(p.group_columns));
    let (rows, tiles) = (p.rows as usize, p.tiles as usize);
    let places = (tiles + 1) * tiles.div_ceil(2);
    let lost = |columns: usize| (rows * columns) as f32 * f32::MIN_POSITIVE;
    let (x_lost, g_lost) = (lost(x_columns), lost(g_columns));
    for sums in gram[..4 * p.matrices as usize * places].chunks_exact_mut(4) {
        sums.copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
    }
    for first in (0..p.matrices).step_by(p.same_x as usize) {
        let x = &x[vec4s(first / p.groups * p.x_step)..];
        for (i, j) in (0..tiles).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            // The rows of tiles from the end on, each followed by one from the start on.
            let fold = i.min(tiles - 1 - i);
            let place = (tiles + 1) * fold + if fold == i && fold < tiles - 1 - i { tiles - fold + j } else { j };
            let weight = if i == j { 1.0 } else { 2.0 };
            let of_x = products(x, (rows, x_columns, x_columns), (i, j), 1.0);
            for matrix in first..(first + p.same_x).min(p.matrices) {
                let g = &g[vec4s(matrix / p.groups * p.g_step + matrix % p.groups * p.group_columns)..];
                let of_g = products(g, (rows, g_columns, vec4s(p.g_stride)), (i, j), SCALE);
                let [mut sum, mut diagonal, mut small] = [0f32; 3];
                for r in 0..ROWS.min(rows - ROWS * i) {
                    for c in 0..ROWS.min(rows - ROWS * j) {
                        sum += weight * of_x[r][c] * of_g[r][c];
                    }
                    if i == j {
                        diagonal += of_x[r][r] * of_g[r][r];
                        small += of_g[r][r] * x_lost + of_x[r][r] * g_lost;
                    }
                }
                gram[4 * (matrix as usize * places + place)..][..4].copy_from_slice(&[sum, diagonal, small, 1.0]);
            }
        }
    }
}

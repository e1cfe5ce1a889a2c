use crate::cpu::shared::random::{normals, pcg4d, uniforms};
use crate::plan::RandomWeights;

/// Twin of `random_weights.wgsl`: `out` is (layers, `padded_rows`, 4 `stride`). Equal to 4 ULP.
pub(super) fn random_weights(p: &RandomWeights, out: &mut [f32], layers: u32) {
    let (rows, columns) = (p.rows as usize, p.columns as usize);
    let width = 4 * p.stride as usize;
    for y in 0..layers {
        let layer = p.first_layer.wrapping_add(y);
        let draws = |group: usize| {
            let words = pcg4d(group as u32, p.tensor, layer, p.seed);
            if p.uniform_draws == 1 { uniforms(words).map(|x| x * 1.732_050_8) } else { normals(words) }
        };
        let slab = &mut out[4 * (y * p.layer_stride) as usize..][..p.padded_rows as usize * width];
        slab.fill(0.0);
        let mut group = (usize::MAX, [0.0; 4]);
        for row in 0..rows {
            for column in 0..columns {
                let position = row * columns + column;
                if group.0 != position / 4 {
                    group = (position / 4, draws(position / 4));
                }
                let value = group.1[position % 4] * p.deviation;
                slab[row * width + column] =
                    if value == 0.0 { value } else { f32::from_bits(value.to_bits() ^ p.shake) };
            }
        }
    }
}

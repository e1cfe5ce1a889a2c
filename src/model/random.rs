//! Counter-based random numbers: a value depends on (seed, layer, tensor, position) alone, so that any engine can make
//! any weight at any time and a change of depth keeps all shared layers.
//!
//! `pcg4d` is Jarzynski & Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020.

use super::Tensor;

/// The layer number of tensors that belong to no layer: input, targets, un-embedding.
pub const GLOBAL_LAYER: u32 = u32::MAX;

/// Four words from four words.
#[must_use]
pub const fn pcg4d(x: u32, y: u32, z: u32, w: u32) -> [u32; 4] {
    const fn lcg(a: u32) -> u32 {
        a.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
    }
    const fn mix(x: u32, y: u32, z: u32, w: u32) -> [u32; 4] {
        let x = x.wrapping_add(y.wrapping_mul(w));
        let y = y.wrapping_add(z.wrapping_mul(x));
        let z = z.wrapping_add(x.wrapping_mul(y));
        let w = w.wrapping_add(y.wrapping_mul(z));
        [x, y, z, w]
    }
    let [x, y, z, w] = mix(lcg(x), lcg(y), lcg(z), lcg(w));
    mix(x ^ (x >> 16), y ^ (y >> 16), z ^ (z >> 16), w ^ (w >> 16))
}

/// The random stream of one tensor of one layer.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// Number of the tensor, [`Tensor::id`].
    pub tensor: u32,
    /// Block from 0, or [`GLOBAL_LAYER`].
    pub layer: u32,
    /// Seed of the run.
    pub seed: u32,
}

impl Stream {
    /// The stream of a layer's matrix.
    #[must_use]
    pub fn layer(tensor: Tensor, layer: usize, seed: u32) -> Self {
        Self { tensor: tensor.id(), layer: layer as u32, seed }
    }

    /// The stream of a tensor that belongs to no layer.
    #[must_use]
    pub const fn global(tensor: Tensor, seed: u32) -> Self {
        Self { tensor: tensor.id(), layer: GLOBAL_LAYER, seed }
    }

    /// Words `4 group` to `4 group + 3`.
    #[must_use]
    pub const fn words(&self, group: u32) -> [u32; 4] {
        pcg4d(group, self.tensor, self.layer, self.seed)
    }

    /// `count` values, four from each group of words.
    fn collect<T>(&self, count: usize, from_words: impl Fn([u32; 4]) -> [T; 4]) -> Vec<T> {
        let mut values: Vec<T> =
            (0..count.div_ceil(4) as u32).flat_map(|group| from_words(self.words(group))).collect();
        values.truncate(count);
        values
    }

    /// `count` standard normals: Box-Muller on the word pairs (0,1) and (2,3), uniforms of 24 bits.
    #[must_use]
    pub fn normals(&self, count: usize) -> Vec<f64> {
        self.collect(count, |[a, b, c, d]| {
            let ([p, q], [r, s]) = (box_muller(a, b), box_muller(c, d));
            [p, q, r, s]
        })
    }

    /// `count` uniforms in [-1, 1).
    #[must_use]
    pub fn uniforms(&self, count: usize) -> Vec<f64> {
        self.collect(count, |words| words.map(|word| f64::from(word >> 8) * 2f64.powi(-23) - 1.0))
    }

    /// `count` words reduced to `0..modulus`.
    #[must_use]
    pub fn classes(&self, count: usize, modulus: u32) -> Vec<u32> {
        self.collect(count, |words| words.map(|word| word % modulus))
    }
}

fn box_muller(w0: u32, w1: u32) -> [f64; 2] {
    let u1 = f64::from((w0 >> 8) + 1) * 2f64.powi(-24);
    let u2 = f64::from(w1 >> 8) * 2f64.powi(-24);
    let (sin, cos) = (std::f64::consts::TAU * u2).sin_cos();
    let radius = (-2.0 * u1.ln()).sqrt();
    [radius * cos, radius * sin]
}

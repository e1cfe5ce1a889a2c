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

#[cfg(test)]
mod tests {
    use super::*;

    /// From the implementation in NumPy that made the golden runs.
    #[test]
    fn words_are_those_of_another_implementation() {
        for ([x, y, z, w], words) in [
            ([0, 0, 0, 0], [251_852_841, 760_645_481, 850_445_371, 3_542_436_074]),
            ([1, 2, 3, 4], [908_250_390, 4_044_648_920, 3_775_961_919, 45_698_095]),
            ([5, 8, 199, u32::MAX], [2_842_649_827, 1_664_648_141, 2_073_016_366, 2_799_784_043]),
            ([u32::MAX; 4], [2_538_526_866, 3_222_658_151, 2_677_364_576, 2_713_428_488]),
            ([12_345, 19, 0, 7], [2_937_975_099, 31_954_296, 4_139_614_839, 2_621_266_491]),
        ] {
            assert_eq!(pcg4d(x, y, z, w), words);
        }
    }

    #[test]
    fn draws_are_those_of_another_implementation() {
        let close = |got: &[f64], want: &[f64]| {
            assert_eq!(got.len(), want.len());
            let error = got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-14, "{got:?} {want:?}");
        };
        let wq = [
            0.402_664_088_667_737_3,
            0.790_950_895_819_173_3,
            -1.025_005_229_962_629_3,
            1.152_307_216_819_269_8,
            -0.813_115_944_882_339_1,
            -0.165_592_731_067_331_22,
            0.374_621_219_263_214_46,
            -0.158_255_564_596_962_58,
            -0.944_738_555_455_529_5,
        ];
        close(&Stream::layer(Tensor::Wq, 0, 0).normals(9), &wq);
        let input = [
            0.109_113_179_240_486_5,
            -1.415_411_076_502_245,
            -2.345_564_379_116_972,
            -0.778_946_430_501_045_7,
            -0.050_094_989_637_650_43,
            -1.314_965_754_329_761_7,
        ];
        close(&Stream::global(Tensor::Input, u32::MAX).normals(6), &input);
        let w1 = [
            0.671_066_641_807_556_2,
            0.448_279_142_379_760_74,
            0.202_731_132_507_324_22,
            -0.786_405_205_726_623_5,
            -0.850_386_142_730_712_9,
            -0.578_462_600_708_007_8,
        ];
        close(&Stream::layer(Tensor::W1, 199, 7).uniforms(6), &w1);
        let targets = Stream::global(Tensor::Targets, 3);
        assert_eq!(targets.classes(10, 1000), [113, 858, 669, 346, 173, 636, 718, 601, 509, 831]);
        assert_eq!(targets.classes(10, 7), [5, 6, 5, 0, 3, 1, 4, 5, 1, 6]);
    }

    #[test]
    fn a_value_does_not_depend_on_how_many_are_drawn() {
        let stream = Stream::layer(Tensor::W2, 3, 9);
        let (normals, uniforms) = (stream.normals(101), stream.uniforms(101));
        for count in [0, 1, 2, 3, 4, 5, 50, 100] {
            assert_eq!(stream.normals(count), normals[..count]);
            assert_eq!(stream.uniforms(count), uniforms[..count]);
        }
    }

    #[test]
    fn tensors_layers_and_seeds_have_their_own_numbers() {
        let base = Stream::layer(Tensor::Wq, 0, 0);
        let others = [
            Stream::layer(Tensor::Wk, 0, 0),
            Stream::layer(Tensor::Wq, 1, 0),
            Stream::layer(Tensor::Wq, 0, 1),
            Stream::global(Tensor::Wq, 0),
        ];
        let count = 1 << 14;
        let draws = base.normals(count);
        for other in others {
            let product: f64 = draws.iter().zip(other.normals(count)).map(|(a, b)| a * b).sum();
            // Six standard deviations of the mean of independent products.
            assert!(product.abs() < 6.0 * (count as f64).sqrt(), "{other:?}: {product}");
        }
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        let count = 1 << 18;
        let moment =
            |values: &[f64], power: i32| values.iter().map(|x| x.powi(power)).sum::<f64>() / values.len() as f64;
        // Moments 1 to 4, and the variance of one draw of each: E x^2n - (E x^n)^2.
        for (values, moments, variances) in [
            (Stream::layer(Tensor::W1, 0, 0).normals(count), [0.0, 1.0, 0.0, 3.0], [1.0, 2.0, 15.0, 96.0]),
            (
                Stream::layer(Tensor::W1, 0, 0).uniforms(count),
                [0.0, 1.0 / 3.0, 0.0, 0.2],
                [1.0 / 3.0, 4.0 / 45.0, 1.0 / 7.0, 16.0 / 225.0],
            ),
        ] {
            for (power, (want, variance)) in (1..).zip(moments.into_iter().zip(variances)) {
                let error = moment(&values, power) - want;
                let deviation = (variance / count as f64).sqrt();
                assert!(error.abs() < 5.0 * deviation, "moment {power}: off by {error:e}, {deviation:e} expected");
            }
        }
        let uniforms = Stream::layer(Tensor::W1, 0, 0).uniforms(count);
        assert!(uniforms.iter().all(|u| (-1.0..1.0).contains(u)));
    }

    /// The ends of the 24 bits a uniform has.
    #[test]
    fn extreme_words_give_finite_normals() {
        for (w0, w1) in [(0, 0), (0, u32::MAX), (u32::MAX, 0), (u32::MAX, u32::MAX), (255, 1 << 31)] {
            let [a, b] = box_muller(w0, w1);
            assert!(a.hypot(b) <= (48.0 * 2f64.ln()).sqrt() + 1e-12, "{w0} {w1}: {a} {b}");
        }
        // The largest uniform is 1 exactly.
        assert_eq!(box_muller(u32::MAX, 0).map(f64::abs), [0.0, 0.0]);
    }
}

//! What a sublayer's function does to second moments, forward and backward, in the limit of infinite width.

use super::gaussian::{Kernel, kernel};
use super::moments::Moments;
use crate::model::{Config, NORM_EPSILON, QkNorm, SublayerKind, Tensor, matrices};

/// The gain of a matrix: what it multiplies the mean square of a row by.
#[derive(Clone, Copy)]
struct Gain {
    /// `fan_in * std^2`.
    forward: f64,
    /// Of its transpose, `fan_out * std^2`.
    backward: f64,
}

/// How attention weighs: `sum_j a_ij a_kj` over the keys, on average.
#[derive(Clone, Copy)]
struct Participation {
    /// Of a query with itself.
    own: f64,
    /// Of two different queries.
    cross: f64,
}

/// The matrix that a sublayer ends with.
const fn last(kind: SublayerKind) -> Tensor {
    match kind {
        SublayerKind::Attention => Tensor::Wo,
        SublayerKind::CrossAttention => Tensor::Co,
        SublayerKind::FeedForward => Tensor::W2,
    }
}

/// The sublayer functions of one model.
pub(super) struct Branches<'a> {
    config: &'a Config,
    tokens: f64,
    gains: Vec<(Tensor, Gain)>,
}

impl<'a> Branches<'a> {
    pub(super) fn new(config: &'a Config) -> Self {
        let gain = |fan: usize, std: f64| fan as f64 * std * std;
        let gains = matrices(config)
            .iter()
            .map(|m| (m.tensor, Gain { forward: gain(m.fan_in, m.std), backward: gain(m.fan_out, m.std) }))
            .collect();
        Self { config, tokens: f64::from(config.tokens), gains }
    }

    /// The gain of a matrix; one where the model lacks it, as without W_O.
    fn gain(&self, tensor: Tensor) -> Gain {
        let found = self.gains.iter().find(|(of, _)| *of == tensor);
        found.map_or(Gain { forward: 1.0, backward: 1.0 }, |(_, gain)| *gain)
    }

    /// `V`: what values and output projection together multiply a mean square by.
    pub(super) fn value_gain(&self, kind: SublayerKind) -> f64 {
        let (value, output) = match kind {
            SublayerKind::CrossAttention => (Tensor::Cv, Tensor::Co),
            SublayerKind::Attention | SublayerKind::FeedForward => (Tensor::Wv, Tensor::Wo),
        };
        self.gain(value).forward * self.gain(output).forward
    }

    /// The largest variance of scores that a model whose sublayers read normed streams can have.
    pub(super) fn peak_score_variance(&self) -> f64 {
        let distinct = Moments { own: 1.0, cross: 0.0 };
        let of = |&kind: &SublayerKind| match kind {
            SublayerKind::FeedForward => 0.0,
            attention => self.score_spread(attention, distinct),
        };
        self.config.sublayer_kinds().iter().map(of).fold(0.0, f64::max)
    }

    /// Mean square of what a sublayer returns when attention leaves the share `kept` of the mean square of what it
    /// averages: between 0, where what it averages cancels, and 1, where it is all the same.
    pub(super) fn bracket(&self, kind: SublayerKind, read: f64, kept: f64) -> f64 {
        match kind {
            SublayerKind::Attention => self.value_gain(kind) * read * kept,
            SublayerKind::CrossAttention => self.value_gain(kind) * kept,
            SublayerKind::FeedForward => self.forward(kind, Moments { own: read, cross: 0.0 }).own,
        }
    }

    /// The moments of what a sublayer returns, from those of what it reads.
    pub(super) fn forward(&self, kind: SublayerKind, read: Moments) -> Moments {
        self.before_last(kind, read) * self.gain(last(kind)).forward
    }

    /// The moments of what the last matrix of a sublayer reads.
    fn before_last(&self, kind: SublayerKind, read: Moments) -> Moments {
        let value = match kind {
            SublayerKind::FeedForward => return self.hidden(read),
            SublayerKind::Attention => Tensor::Wv,
            SublayerKind::CrossAttention => Tensor::Cv,
        };
        let averaged = self.averaged(kind, read);
        let weights = self.participation(kind, read);
        let spread = averaged.own - averaged.cross;
        Moments { own: averaged.cross + spread * weights.own, cross: averaged.cross + spread * weights.cross }
            * self.gain(value).forward
    }

    /// The moments of the gradient at what a sublayer reads, from those of the gradient at what it returns.
    pub(super) fn backward(&self, kind: SublayerKind, read: Moments, gradient: Moments) -> Moments {
        match kind {
            SublayerKind::Attention => {
                self.through_values(read, gradient)
                    + self.through_queries(kind, read, gradient)
                    + self.through_keys(read, gradient)
            }
            // The memory is constant: only queries lead to the stream.
            SublayerKind::CrossAttention => self.through_queries(kind, read, gradient),
            SublayerKind::FeedForward => self.feed_forward_backward(read, gradient),
        }
    }

    /// The matrix that a sublayer ends with, and the Frobenius norm of its gradient, from the moments of what the sublayer
    /// reads and of the gradient at what it returns. The squares of `sum_t h_t g_t` are
    /// `sum_tt' (h_t . h_t') (g_t . g_t')`.
    pub(super) fn last_weight(&self, kind: SublayerKind, read: Moments, gradient: Moments) -> (Tensor, f64) {
        let inner = self.before_last(kind, read);
        let products = inner.own * gradient.own + (self.tokens - 1.0) * inner.cross * gradient.cross;
        let width = f64::from(self.config.width);
        let fan_in = if kind == SublayerKind::FeedForward { self.config.hidden() as f64 } else { width };
        (last(kind), (self.config.rows() as f64 * width * fan_in * products).sqrt())
    }

    /// What keys and values are made of: the stream itself, or the memory, whose rows a norm has made.
    fn averaged(&self, kind: SublayerKind, read: Moments) -> Moments {
        match kind {
            SublayerKind::CrossAttention => Moments::new(1.0, self.config.memory_cos),
            SublayerKind::Attention | SublayerKind::FeedForward => read,
        }
    }

    /// Variance of the scores `q . k / sqrt(k)` of tokens that have nothing in common.
    fn score_variance(&self, kind: SublayerKind, read: Moments) -> f64 {
        let (query, key) = match kind {
            SublayerKind::CrossAttention => (Tensor::Cq, Tensor::Ck),
            SublayerKind::Attention | SublayerKind::FeedForward => (Tensor::Wq, Tensor::Wk),
        };
        let query = self.gain(query).forward * read.own;
        let key = self.gain(key).forward * self.averaged(kind, read).own;
        if kind == SublayerKind::Attention && self.config.qk_norm != QkNorm::None {
            return query / (query + NORM_EPSILON) * key / (key + NORM_EPSILON);
        }
        query * key
    }

    /// Variance of a query's scores over the keys. Softmax does not see what the keys have in common.
    fn score_spread(&self, kind: SublayerKind, read: Moments) -> f64 {
        self.score_variance(kind, read) * (1.0 - self.averaged(kind, read).cosine())
    }

    /// The scores of a query are Gaussian over the keys, of variance `w`, and between the scores of two queries `r w`, r being the cosine of the queries. Then
    /// `E e^(s+s')` over `E (sum e^s)(sum e^s')` is `e^(r w) / (e^(r w) + T - 1)`: numerator and denominator are averaged
    /// apart, which is right while few keys do not outweigh all others. Without scores it is `1/T`.
    fn participation(&self, kind: SublayerKind, read: Moments) -> Participation {
        let variance = self.score_spread(kind, read);
        let of = |variance: f64| 1.0 / (1.0 + (self.tokens - 1.0) * (-variance).exp());
        Participation { own: of(variance), cross: of(variance * read.cosine()) }
    }

    /// A value gathers the gradients of all queries that look at it. What all values of a sequence gather together is
    /// what all queries give, and that fixes the product of two.
    fn through_values(&self, read: Moments, gradient: Moments) -> Moments {
        let weights = self.participation(SublayerKind::Attention, read);
        let others = self.tokens - 1.0;
        let own = gradient.own * weights.own + others * gradient.cross * weights.cross;
        let cross = (gradient.own + others * gradient.cross - own) / others;
        Moments { own, cross } * self.value_gain(SublayerKind::Attention)
    }

    /// How large the gradients at the scores are, by the gradients at the output and at the values: `a (da - sum a da)`
    /// leaves `sum a^2 (1 - 2 a + sum a^2)`, which is `P (1 - P)` for even weights and, as it should, nothing for a single
    /// one.
    fn score_gradients(&self, kind: SublayerKind, read: Moments, gradient: Moments) -> Moments {
        let Participation { own, cross } = self.participation(kind, read);
        Moments { own: gradient.own * own * (1.0 - own), cross: gradient.cross * cross * (1.0 - cross) }
    }

    /// A score's gradient is the product of the output's gradient and a value, less its mean over the keys; a query
    /// gathers it over the keys. Both times only the differences between keys count.
    fn through_queries(&self, kind: SublayerKind, read: Moments, gradient: Moments) -> Moments {
        let averaged = self.averaged(kind, read);
        let distinct = 1.0 - averaged.cosine();
        // The gradient is at the stream, whose square the variance of the scores has as a factor.
        let size = self.value_gain(kind) * self.score_variance(kind, read) * averaged.own / read.own;
        self.score_gradients(kind, read, gradient) * (size * distinct * distinct)
    }

    /// A key gathers the same gradients over the queries. Over the keys they sum to zero.
    fn through_keys(&self, read: Moments, gradient: Moments) -> Moments {
        let kind = SublayerKind::Attention;
        let scores = self.score_gradients(kind, read, gradient);
        let others = self.tokens - 1.0;
        let gathered = scores.own + others * scores.cross * read.cosine();
        let own = self.value_gain(kind) * self.score_spread(kind, read) * gathered;
        Moments { own, cross: -own / others }
    }

    /// The nonlinearity on Gaussians of the variance that the first matrix makes.
    fn kernel(&self, read: Moments) -> Kernel {
        let gate = if self.has_gate() { Tensor::Wg } else { Tensor::W1 };
        kernel(self.config.act, self.gain(gate).forward * read.own, read.cosine())
    }

    fn has_gate(&self) -> bool {
        self.gains.iter().any(|(tensor, _)| *tensor == Tensor::Wg)
    }

    /// What the nonlinearity, and the gate, make of what a FFN reads.
    fn hidden(&self, read: Moments) -> Moments {
        let Kernel { value, .. } = self.kernel(read);
        let hidden = Moments { own: value.own, cross: value.cross };
        if !self.has_gate() {
            return hidden;
        }
        let linear = read * self.gain(Tensor::W1).forward;
        Moments { own: hidden.own * linear.own, cross: hidden.cross * linear.cross }
    }

    fn feed_forward_backward(&self, read: Moments, gradient: Moments) -> Moments {
        let Kernel { value, slope } = self.kernel(read);
        let (first, second) = (self.gain(Tensor::W1), self.gain(Tensor::W2));
        let (mut own, mut cross) = (first.backward * slope.own, first.backward * slope.cross);
        if self.has_gate() {
            let linear = read * first.forward;
            let gate = self.gain(Tensor::Wg).backward;
            own = first.backward * value.own + gate * slope.own * linear.own;
            cross = first.backward * value.cross + gate * slope.cross * linear.cross;
        }
        Moments { own: gradient.own * own, cross: gradient.cross * cross } * second.backward
    }
}

//! What a model takes to compute.

use super::{Config, matrices};

impl Config {
    /// Floating-point operations of its matrix products, forward, backward to the stream and to the weights, a
    /// multiplication with its addition counting as two: `L (6 N sum(fan_in fan_out) + 12 N T d) + 6 N d V`, and another
    /// `12 N T d` a block for cross-attention.
    #[must_use]
    pub fn flops(&self) -> f64 {
        let (rows, width) = (self.rows() as f64, f64::from(self.width));
        let weights: f64 = matrices(self).iter().map(|matrix| (matrix.fan_in * matrix.fan_out) as f64).sum();
        let attentions = if self.cross.0 { 2.0 } else { 1.0 };
        let block = 6.0 * rows * weights + attentions * 12.0 * rows * f64::from(self.tokens) * width;
        f64::from(self.depth) * block + 6.0 * rows * width * f64::from(self.vocab)
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Config, Toggle};

    #[test]
    fn the_usual_block_takes_72_width_squared_and_12_tokens_width_a_row() {
        let config = Config { depth: 10, ..Config::default() };
        let (rows, width, tokens) = (64.0, 64.0, 32.0);
        let block = rows * (72.0 * width * width + 12.0 * tokens * width);
        assert_eq!(config.flops(), 10.0 * block + 6.0 * rows * width * 64.0);
        let cross = Config { cross: Toggle(true), ..config.clone() };
        assert_eq!(cross.flops() - config.flops(), 10.0 * rows * (24.0 * width * width + 12.0 * tokens * width));
    }
}

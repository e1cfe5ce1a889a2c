//! Twin of `shaders/shared/square_sum.wgsl`.

/// A sum of squares in three parts, so that it neither overflows nor underflows while its root fits f32.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SquareSum {
    /// Of `(x 2^90)^2` where `|x| < 2^-60`.
    pub small: f32,
    /// Of `x^2`.
    pub middle: f32,
    /// Of `(x 2^-100)^2` where `|x| > 2^50`.
    pub big: f32,
    /// The largest absolute value, as bits.
    pub max_bits: u32,
}

impl SquareSum {
    /// Adds the square of a value.
    pub fn add(&mut self, x: f32) {
        let bits = x.to_bits() & 0x7fff_ffff;
        self.max_bits = self.max_bits.max(bits);
        if bits >= 0x7f80_0000 {
            return;
        }
        if bits > 0x5880_0000 {
            self.big += (x * 2f32.powi(-100)).powi(2);
        } else if bits < 0x2180_0000 {
            self.small += (x * 2f32.powi(90)).powi(2);
        } else {
            self.middle += x * x;
        }
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Self) {
        self.small += other.small;
        self.middle += other.middle;
        self.big += other.big;
        self.max_bits = self.max_bits.max(other.max_bits);
    }

    /// A plain sum in the place of one of squares, with its sign.
    #[must_use]
    pub fn of_sum(sum: f32) -> Self {
        Self { middle: sum, max_bits: sum.abs().to_bits(), ..Self::default() }
    }

    /// The sum of the squares of all values.
    #[must_use]
    pub fn of(values: &[f32]) -> Self {
        let mut sum = Self::default();
        for x in values {
            sum.add(*x);
        }
        sum
    }
}

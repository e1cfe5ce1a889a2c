//! Where the attention twins find things; see `shaders/shared/attention.wgsl`.

/// Sizes that the three kernels share, in floats.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Sizes {
    pub(in crate::cpu) tokens: usize,
    pub(in crate::cpu) heads: usize,
    /// Features of a head, padded.
    pub(in crate::cpu) head: usize,
    pub(in crate::cpu) q_stride: usize,
    pub(in crate::cpu) kv_stride: usize,
    pub(in crate::cpu) causal: bool,
}

impl Sizes {
    /// Floats of all heads of a token.
    pub(in crate::cpu) const fn part(&self) -> usize {
        self.heads * self.head
    }

    /// Where the scores of a query with its first key lie; those with the next keys follow every 4 floats.
    pub(in crate::cpu) const fn scores(&self, sequence: usize, head: usize, query: usize) -> usize {
        4 * self.row(sequence, head, query) * self.tokens + query % 4
    }

    /// Where the one number of a query lies.
    pub(in crate::cpu) const fn of_query(&self, sequence: usize, head: usize, query: usize) -> usize {
        4 * self.row(sequence, head, query) + query % 4
    }

    const fn row(&self, sequence: usize, head: usize, query: usize) -> usize {
        (sequence * self.heads + head) * self.tokens.div_ceil(4) + query / 4
    }

    /// Keys that the 4 queries around a query are given places for.
    pub(in crate::cpu) fn places(&self, query: usize) -> usize {
        if self.causal { self.tokens.min(query / 4 * 4 + 4) } else { self.tokens }
    }

    /// Keys that a query sees; none past the last query.
    pub(in crate::cpu) const fn seen(&self, query: usize) -> usize {
        if query >= self.tokens {
            0
        } else if self.causal {
            query + 1
        } else {
            self.tokens
        }
    }

    /// Queries, with those that fill the last 4.
    pub(in crate::cpu) const fn queries(&self) -> usize {
        self.tokens.next_multiple_of(4)
    }
}

/// The sizes that a kernel's arguments give.
macro_rules! sizes {
    ($p:expr) => {
        $crate::cpu::shared::attention::Sizes {
            tokens: $p.tokens as usize,
            heads: $p.heads as usize,
            head: 4 * $p.head_stride as usize,
            q_stride: 4 * $p.q_stride as usize,
            kv_stride: 4 * $p.kv_stride as usize,
            causal: $p.causal == 1,
        }
    };
}
pub(in crate::cpu) use sizes;

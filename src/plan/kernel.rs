//! The kernels: what each one binds and which numbers it takes. The uniform of a kernel holds the offset of each of its
//! bindings, in vec4s, then its arguments, in the order given here, and then [`FIRST_GROUP`]; the shader tests compare
//! all with the WGSL.

/// What every uniform ends with: the first workgroup of a dispatch, which may be a part of a step.
pub const FIRST_GROUP: [&str; 3] = ["first_x", "first_y", "first_z"];

/// How a kernel uses a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Only read.
    Read,
    /// Written, and read where the kernel works in place.
    Write,
}

/// One binding of a kernel; binding `i` of [`Kernel::bindings`] is `@binding(i + 1)`, after the uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Its name in WGSL; the uniform calls its offset `NAME_at`.
    pub name: &'static str,
    /// How it is used.
    pub access: Access,
}

/// An argument as a word of the uniform.
trait Word {
    const WGSL: &'static str;
    fn word(self) -> u32;
}

impl Word for u32 {
    const WGSL: &'static str = "u32";
    fn word(self) -> u32 {
        self
    }
}

impl Word for f32 {
    const WGSL: &'static str = "f32";
    fn word(self) -> u32 {
        self.to_bits()
    }
}

macro_rules! kernels {
    ($($(#[$meta:meta])* $name:ident = $stem:literal
        [$($binding:ident: $access:ident),+] { $($argument:ident: $type:ty),+ $(,)? })+) => {
        /// A kernel, without its arguments.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kernel { $($(#[$meta])* $name),+ }

        /// A kernel with its arguments.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Operation { $($(#[$meta])* $name($name)),+ }

        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, PartialEq)]
            #[allow(missing_docs, reason = "the shader of the same stem says what each argument is")]
            pub struct $name { $(pub $argument: $type),+ }

            impl From<$name> for Operation {
                fn from(arguments: $name) -> Self {
                    Self::$name(arguments)
                }
            }
        )+

        impl Kernel {
            /// Every kernel.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Its file in `shaders/`, without the extension; its twin has the same name.
            #[must_use]
            pub const fn stem(self) -> &'static str {
                match self { $(Self::$name => $stem),+ }
            }

            /// What it binds, after the uniform.
            #[must_use]
            pub const fn bindings(self) -> &'static [Binding] {
                match self {
                    $(Self::$name => &[$(Binding { name: stringify!($binding), access: Access::$access }),+]),+
                }
            }

            /// Names and WGSL types of its arguments, which follow the offsets in the uniform.
            #[must_use]
            pub const fn arguments(self) -> &'static [(&'static str, &'static str)] {
                match self { $(Self::$name => &[$((stringify!($argument), <$type as Word>::WGSL)),+]),+ }
            }
        }

        impl Operation {
            /// Which kernel.
            #[must_use]
            pub const fn kernel(&self) -> Kernel {
                match self { $(Self::$name(_) => Kernel::$name),+ }
            }

            /// The arguments as words of the uniform.
            #[must_use]
            pub fn words(&self) -> Vec<u32> {
                match self { $(Self::$name(arguments) => vec![$(Word::word(arguments.$argument)),+]),+ }
            }
        }
    };
}

kernels! {
    /// Makes a random tensor of one or more layers from the counter.
    RandomWeights = "random_weights" [out: Write] {
        columns: u32, padded_rows: u32, stride: u32, row_segment: u32, row_step: u32, column_segment: u32,
        column_step: u32, layer_stride: u32, tensor: u32, first_layer: u32, seed: u32, draws: u32, repeat: u32,
        adds: u32, shake: u32, deviation: f32,
    }
    /// `y = gain N(x)` of each row.
    NormForward = "norm_forward" [x: Read, y: Write, scale: Write] {
        rows: u32, width: u32, stride: u32, kind: u32, epsilon: f32, gain: f32,
    }
    /// `out = a W` for one or more matrices, or its activation and the slope of that.
    MatmulForward = "matmul_forward" [a: Read, weight: Read, out: Write, activated: Write] {
        rows: u32, inner: u32, a_stride: u32, columns: u32, group_columns: u32, group_stride: u32, activates: u32,
        kind: u32,
    }
    /// `out = h * silu(gate)`, and the slopes of that.
    GatedActivation = "gated_activation" [hidden: Write, out: Write] {
        rows: u32, columns: u32, kind: u32,
    }
    /// RMSNorm of queries and keys in place.
    QkNormForward = "qk_norm_forward" [qkv: Write, scale: Write] {
        rows: u32, stride: u32, segments: u32, segment: u32, features: u32, epsilon: f32,
    }
    /// Attention of every head.
    AttentionForward = "attention_forward"
        [q: Read, kv: Read, out: Write, probabilities: Write, inverse: Write, partials: Write] {
        tokens: u32, heads: u32, head_stride: u32, q_stride: u32, kv_stride: u32, causal: u32, nan_bits: u32,
        score_scale: f32,
    }
    /// `out = N_sum(skip x + N_branch(branch))`, with the square sums of both terms.
    ResidualForward = "residual_forward"
        [x: Read, branch: Write, out: Write, scale: Write, partials: Write, side: Write] {
        rows: u32, width: u32, stride: u32, kind: u32, branch_norm: u32, sum_norm: u32, side_mode: u32, profile: u32,
        skip: f32, epsilon: f32,
    }
    /// Loss of each row, and the gradient of the logits in place.
    CrossEntropy = "cross_entropy" [logits: Write, partials: Write] {
        rows: u32, classes: u32, stride: u32, tensor: u32, layer: u32, seed: u32, nan_bits: u32,
    }
    /// `out = g W^T` summed over one or more matrices, through the activation where asked.
    MatmulBackward = "matmul_backward" [g: Read, weight: Read, slopes: Read, out: Write] {
        rows: u32, g_stride: u32, group_columns: u32, groups: u32, group_stride: u32, out_columns: u32, factors: u32,
    }
    /// The gradient through the norms of a sublayer's output.
    ResidualBackward = "residual_backward"
        [out: Read, branch: Read, scale: Read, grad: Write, branch_grad: Write, side_grad: Write] {
        rows: u32, width: u32, stride: u32, kind: u32, branch_norm: u32, sum_norm: u32, side_mode: u32, keeps: u32,
    }
    /// The gradient of a sublayer's input from both of its paths, with its square sum.
    SkipBackward = "skip_backward"
        [input_grad: Read, normed: Read, scale: Read, grad: Write, partials: Write, side_grad: Read, kept: Write] {
        rows: u32, width: u32, stride: u32, kind: u32, input_norm: u32, adds_side: u32, keeps: u32, skip: f32,
        gain: f32,
    }
    /// The gradients of attention scores and queries.
    AttentionQueryBackward = "attention_query_backward"
        [kv: Read, out_grad: Read, inverse: Read, probabilities: Read, score_grad: Write, q_grad: Write] {
        sequences: u32, tokens: u32, heads: u32, head_stride: u32, q_stride: u32, kv_stride: u32, causal: u32, score_scale: f32,
    }
    /// The gradients of keys and values.
    AttentionKeyBackward = "attention_key_backward"
        [q: Read, out_grad: Read, inverse: Read, probabilities: Read, score_grad: Read, kv_grad: Write] {
        sequences: u32, tokens: u32, heads: u32, head_stride: u32, q_stride: u32, kv_stride: u32, causal: u32,
    }
    /// The gradient, or the tangent, through the RMSNorm of queries and keys, in place.
    QkNormBackward = "qk_norm_backward" [qkv: Read, scale: Read, qkv_grad: Write] {
        rows: u32, stride: u32, segments: u32, segment: u32, features: u32,
    }
    /// The square sums of weight gradients that are never written.
    WeightGradientNorm = "weight_gradient_norm" [x: Read, g: Read, gram: Read, partials: Write] {
        sequences: u32, tokens: u32, x_stride: u32, g_stride: u32, group_columns: u32, groups: u32, centred: u32,
        x_step: u32, g_step: u32, tiles_x: u32, tiles_y: u32, tile_columns: u32, tile_rows: u32, gram_sums: u32,
    }
    /// The same from the products of pairs of rows.
    WeightGradientGram = "weight_gradient_gram" [x: Read, g: Read, gram: Write] {
        rows: u32, x_stride: u32, g_stride: u32, group_columns: u32, groups: u32, x_step: u32, g_step: u32,
        matrices: u32, same_x: u32, tiles: u32,
    }
    /// A weight gradient.
    WeightGradient = "weight_gradient" [x: Read, g: Read, out: Write] {
        sequences: u32, tokens: u32, x_stride: u32, g_stride: u32, group_columns: u32, group_stride: u32,
        centred: u32,
    }
    /// `out = t W + x D` for one or more matrices, D the gradient and its sign.
    MatmulTangent = "matmul_tangent" [tangent: Read, weight: Read, x: Read, gradient: Read, out: Write] {
        rows: u32, inner: u32, columns: u32, group_columns: u32, group_stride: u32, moves: u32,
    }
    /// The tangent of a norm.
    NormTangent = "norm_tangent" [tangent: Read, normed: Read, scale: Read, out: Write] {
        rows: u32, width: u32, stride: u32, kind: u32, gain: f32,
    }
    /// The tangent of an activation.
    ActivationTangent = "activation_tangent" [slopes: Read, tangent: Read, out: Write] {
        rows: u32, columns: u32, gated: u32,
    }
    /// The tangent of the heads' output.
    AttentionTangent = "attention_tangent"
        [q: Read, kv: Read, q_tangent: Read, kv_tangent: Read, inverse: Read, probabilities: Read,
            score_tangent: Write, out: Write] {
        sequences: u32, tokens: u32, heads: u32, head_stride: u32, q_stride: u32, kv_stride: u32, causal: u32,
        score_scale: f32,
    }
    /// The tangent of a sublayer's addition.
    ResidualTangent = "residual_tangent"
        [out: Read, branch: Read, scale: Read, branch_tangent: Read, tangent: Write, side: Write] {
        rows: u32, width: u32, stride: u32, kind: u32, branch_norm: u32, sum_norm: u32, side_mode: u32, skip: f32,
    }
    /// Square sum, largest value, spread and token cosine of states.
    StreamStatistics = "stream_statistics" [x: Read, results: Write] {
        tokens: u32, stride: u32, batch: u32, state_stride: u32,
    }
    /// Adds up the floats of slabs.
    SumRows = "sum_rows" [values: Read, results: Write] {
        count: u32, offset: u32, slab_stride: u32,
    }
    /// Adds up square sums.
    ReduceSquareSums = "reduce_square_sums" [partials: Read, results: Write] {
        count: u32, outputs: u32,
    }
}

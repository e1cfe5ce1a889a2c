//! The WGSL of a kernel, put together from its file and what it imports.

use super::Kernel;

/// The files of `shaders/shared/`, by name.
const SHARED: &[(&str, &str)] = &[
    ("activation", include_str!("../../shaders/shared/activation.wgsl")),
    ("attention", include_str!("../../shaders/shared/attention.wgsl")),
    ("finite", include_str!("../../shaders/shared/finite.wgsl")),
    ("norm", include_str!("../../shaders/shared/norm.wgsl")),
    ("random", include_str!("../../shaders/shared/random.wgsl")),
    ("row", include_str!("../../shaders/shared/row.wgsl")),
    ("row_squares", include_str!("../../shaders/shared/row_squares.wgsl")),
    ("square_sum", include_str!("../../shaders/shared/square_sum.wgsl")),
];

macro_rules! sources {
    ($kernel:expr; $($name:ident = $stem:literal),+ $(,)?) => {
        match $kernel { $(Kernel::$name => include_str!(concat!("../../shaders/", $stem, ".wgsl"))),+ }
    };
}

fn source(kernel: Kernel) -> &'static str {
    sources!(kernel;
        RandomWeights = "random_weights",
        NormForward = "norm_forward",
        MatmulForward = "matmul_forward",
        ActivationForward = "activation_forward",
        QkNormForward = "qk_norm_forward",
        AttentionForward = "attention_forward",
        ResidualForward = "residual_forward",
        CrossEntropy = "cross_entropy",
        MatmulBackward = "matmul_backward",
        ResidualBackward = "residual_backward",
        SkipBackward = "skip_backward",
        AttentionQueryBackward = "attention_query_backward",
        AttentionKeyBackward = "attention_key_backward",
        QkNormBackward = "qk_norm_backward",
        WeightGradientNorm = "weight_gradient_norm",
        StreamStatistics = "stream_statistics",
        ReduceSquareSums = "reduce_square_sums",
    )
}

/// The WGSL of a kernel: its file with each `#import NAME` line replaced by `shaders/shared/NAME.wgsl`, once.
///
/// # Panics
/// Where a file imports what is not there; a test composes every kernel.
#[must_use]
pub fn compose(kernel: Kernel) -> String {
    let mut imported = Vec::new();
    expand(source(kernel), kernel.stem(), &mut imported)
}

fn expand(text: &str, file: &str, imported: &mut Vec<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let Some(name) = line.strip_prefix("#import ") else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        if imported.iter().any(|known| known == name) {
            continue;
        }
        imported.push(name.to_owned());
        let Some((_, shared)) = SHARED.iter().find(|(known, _)| *known == name) else {
            panic!("{file}.wgsl imports {name}, which is not in shaders/shared");
        };
        out.push_str(&expand(shared, name, imported));
    }
    out
}

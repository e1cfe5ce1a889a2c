//! Of the form: labels, choices, and a line of help on each control.

use super::capitalised;
use crate::claims::{Guide, Topic, VerdictKind};
use crate::model::Placement;

/// One line on a placement.
#[must_use]
pub(crate) const fn placement_help(placement: Placement) -> &'static str {
    match placement {
        Placement::Post => "A norm on the sum, as in the Transformer of 2017 (Vaswani et al.)",
        Placement::Pre => "A norm on what each sublayer reads, as in GPT-2 (Xiong et al. 2020)",
        Placement::Sandwich => "Norms on what a sublayer reads and on what it returns (CogView, 2021)",
        Placement::Olmo2 => "A norm on what a sublayer returns (OLMo 2, 2025)",
        Placement::DeepNorm => "Post-LN with the stream scaled up and the weights scaled down (DeepNet, 2022)",
        Placement::Peri => "As Sandwich-LN, and a norm on the embedding (Kim et al. 2025)",
        Placement::None => "No norm in any block",
        Placement::Residual => "Post-LN beside a second stream without norms, added at the end (ResiDual, 2023)",
        Placement::B2t => "Post-LN whose FFN also adds what entered the block (Bottom-to-Top, 2022)",
        Placement::Admin => "Post-LN with the stream scaled up as far as its branches vary (Admin, 2020)",
        Placement::Lns => "Pre-LN with the norm’s output over the root of the block’s number (2025)",
        Placement::MixLn => "Post-LN for the first quarter of the blocks, Pre-LN after (Mix-LN, 2024)",
        Placement::Keel => "Norms on input and sum, the stream times the number of sublayers (Keel, 2026)",
    }
}

/// The label of a control.
#[must_use]
pub(crate) fn label(key: &str) -> &'static str {
    match key {
        "init" => "Init",
        "norm" => "Norm",
        "act" => "Activation",
        "width" => "Width",
        "heads" => "heads",
        "tokens" => "Tokens",
        "seed" => "Seed",
        "statistic" => "Which statistic",
        "seeds" => "Seeds",
        "cross" => "Cross-attention",
        "memory_cos" => "Memory cosine",
        "deepest" => "Deepest model",
        "guide" => "Guide",
        "topic" => "Topic",
        "verdict" => "Literature’s verdict",
        "batch" => "Batch",
        "ffn" => "FFN factor",
        "vocab" => "Classes",
        "residual_scale" => "Residual scale",
        "qk_norm" => "QK-norm",
        "causal" => "Causal mask",
        "attention" => "Attention",
        "output_projection" => "Output projection",
        "final_norm" => "Final norm",
        "engine" => "Engine",
        "memory" => "Memory, MiB",
        _ => "",
    }
}

/// The name of a choice.
#[must_use]
pub(crate) fn choice(key: &str, value: &str) -> String {
    let named = match key {
        "guide" => Guide::from_key(value).map(Guide::title),
        "topic" => Topic::from_key(value).map(Topic::title),
        "verdict" => VerdictKind::from_key(value).map(VerdictKind::title),
        _ => None,
    };
    if let Some(name) = named {
        return capitalised(name);
    }
    let name = match (key, value) {
        (_, "all") => "All",
        ("init", "xavier") => "Xavier",
        ("init", "xavier-uniform") => "Xavier, uniform",
        ("init", "he") => "He",
        ("init", "lecun") => "LeCun",
        ("init", "normal-0.02") => "Normal, 0.02",
        ("init", "small") => "Small",
        ("norm", "layernorm") => "LayerNorm",
        ("norm", "rmsnorm") => "RMSNorm",
        ("act", "relu") => "ReLU",
        ("act", "gelu") => "GELU",
        ("act", "swiglu") => "SwiGLU",
        ("residual_scale", "gpt2") => "GPT-2",
        ("residual_scale", "zero") => "Zero",
        ("qk_norm", "head") => "Each head",
        ("qk_norm", "full") => "Whole projection",
        ("attention", "softmax") => "Softmax",
        ("attention", "uniform") => "Uniform",
        ("final_norm", "auto") => "As published",
        ("engine", "") => "Automatic",
        ("engine", "gpu") => "WebGPU, float32",
        ("engine", "cpu") => "Processor, float32",
        ("engine", "reference") => "Reference, float64",
        ("statistic", "grad_weight.w2") => "Gradient of W₂ of the FFN",
        ("statistic", "grad_weight.w1") => "Gradient of W₁ of the FFN",
        ("statistic", "grad_weight.wg") => "Gradient of the gate of the FFN",
        ("statistic", "grad_weight.wo") => "Gradient of attention’s output",
        ("statistic", "grad_weight.wv") => "Gradient of attention’s values",
        ("statistic", "grad_weight.wk") => "Gradient of attention’s keys",
        ("statistic", "grad_weight.wq") => "Gradient of attention’s queries",
        ("statistic", "grad_weight.co") => "Gradient of cross-attention’s output",
        ("statistic", "grad_weight.cv") => "Gradient of cross-attention’s values",
        ("statistic", "grad_weight.ck") => "Gradient of cross-attention’s keys",
        ("statistic", "grad_weight.cq") => "Gradient of cross-attention’s queries",
        ("statistic", "grad_stream") => "Gradient of the stream",
        ("statistic", "stream_rms") => "Residual stream",
        ("statistic", "grad_cosine") => "Gradient cosine",
        ("statistic", "net_factor") => "Net gradient factor",
        ("statistic", "norm_jacobian") => "Norm’s Jacobian",
        ("statistic", "update_ratio") => "Update ratio",
        ("statistic", "token_cosine") => "Token cosine",
        ("statistic", "rank_residual") => "Rank residual",
        ("statistic", "attention_entropy") => "Attention entropy",
        ("statistic", "max_logit") => "Largest attention score",
        ("statistic", "stream_max") => "Largest value of the stream",
        (_, "none") => "None",
        (_, "0" | "off") => "Off",
        (_, "1" | "on") => "On",
        (_, other) => return other.into(),
    };
    name.into()
}

/// One line on a control, and its formula in MathML where there is one.
#[must_use]
pub(crate) fn help(key: &str, value: &str) -> (&'static str, &'static str) {
    match (key, value) {
        ("init", "he") => ("He keeps the variance of a ReLU layer level going forward:", math::HE),
        ("init", "lecun") => ("LeCun keeps the variance of a linear layer level going forward:", math::LECUN),
        ("init", "normal-0.02") => ("One standard deviation for every matrix, as in BERT and GPT-2:", math::NORMAL),
        ("init", "small") => ("Small init (Nguyen & Salazar 2019):", math::SMALL),
        ("init", "xavier-uniform") => ("Xavier’s variance, drawn from an interval:", math::XAVIER),
        ("init", _) => ("Xavier keeps variance level both ways:", math::XAVIER),
        ("norm", "rmsnorm") => ("RMSNorm divides by the root mean square:", math::RMSNORM),
        ("norm", _) => ("LayerNorm removes the mean and divides by the standard deviation:", math::LAYERNORM),
        ("act", "gelu") => ("The nonlinearity of the FFN, with the tanh approximation of Φ:", math::GELU),
        ("act", "swiglu") => ("A gated FFN with a third matrix:", math::SWIGLU),
        ("act", _) => ("The nonlinearity of the FFN:", math::RELU),
        ("width", _) => ("Features of the residual stream, 16 to 1024, a multiple of the heads.", ""),
        ("heads", _) => ("Attention heads, 1 to 16; they divide the width.", ""),
        ("tokens", _) => ("Tokens of a sequence, 2 to 256.", ""),
        ("seed", _) => ("The seed of every random number. Another depth keeps the blocks it shares.", ""),
        ("statistic", "grad_cosine") => ("How alike the gradients at two tokens are, on average.", ""),
        ("statistic", "net_factor") => {
            ("What a block makes of the squared gradient, from its end to its beginning.", "")
        }
        ("statistic", "norm_jacobian") => {
            ("By how much a norm scales what passes it back (Xiong et al. 2020, Lemma 3).", "")
        }
        ("statistic", "update_ratio") => {
            ("The size of what a sublayer adds over that of the stream it is added to.", "")
        }
        ("statistic", "token_cosine") => ("How alike two tokens of a sequence are, on average; 1: all the same.", ""),
        ("statistic", "rank_residual") => ("What is left of the stream without its mean token (Dong et al. 2021).", ""),
        ("statistic", "attention_entropy") => ("1 where attention weighs all tokens alike, 0 where it picks one.", ""),
        ("statistic", "max_logit") => ("The largest score of the self-attention, before its softmax.", ""),
        ("statistic", "stream_max") => ("The largest absolute value of the stream; fp16 ends at 65,504.", ""),
        ("statistic", "stream_rms") => ("The root mean square of all values of the stream.", ""),
        ("statistic", _) => ("The size of the loss’s gradient at each block:", math::GRADIENT),
        ("seeds", _) => ("Runs with this many seeds: their median, and the middle half as a band.", ""),
        ("deepest", _) => ("Blocks of the deepest model of the atlas, 12 to 200; the shallowest has 6.", ""),
        ("cross", _) => ("A third sublayer that attends to a constant memory, as a decoder’s does.", ""),
        ("memory_cos", _) => ("How alike the memory’s tokens are: 1 is a collapsed encoder.", ""),
        ("batch", _) => ("Sequences in a batch, 1 to 8.", ""),
        ("ffn", _) => ("Hidden features of the FFN, in widths, 1 to 8.", ""),
        ("vocab", _) => ("Classes of the loss, 2 to 1024; the targets are random.", ""),
        ("residual_scale", _) => {
            ("GPT-2 scales the last matrix of each branch by this; zero starts every branch silent:", math::RESIDUAL)
        }
        ("qk_norm", _) => ("RMSNorm on queries and keys: each head’s (Gemma 3), or all of them (OLMo 2).", ""),
        ("causal", _) => ("Whether a token sees only itself and those before it.", ""),
        ("attention", _) => ("Uniform: every token averages all, as in Xiong et al.’s simplified setting.", ""),
        ("output_projection", _) => ("Whether attention ends in a matrix of its own, the output projection.", ""),
        ("final_norm", _) => ("A norm before the un-embedding; as published: for all but those that end in one.", ""),
        ("memory", _) => {
            ("What a pass in float32 may take; what does not fit is computed again when it is needed.", "")
        }
        ("engine", _) => ("WebGPU and its twin on the processor work in float32, the reference in float64.", ""),
        _ => ("", ""),
    }
}

/// Formulas in MathML.
mod math {
    macro_rules! formula {
        ($($part:literal),+ $(,)?) => { concat!("<math><mrow>", $($part),+, "</mrow></math>") };
    }

    pub(super) const XAVIER: &str = formula!(
        "<msup><mi>σ</mi><mn>2</mn></msup><mo>=</mo><mn>2</mn><mo>/</mo><mo stretchy=\"false\">(</mo>",
        "<msub><mi>n</mi><mtext>in</mtext></msub><mo>+</mo><msub><mi>n</mi><mtext>out</mtext></msub>",
        "<mo stretchy=\"false\">)</mo>"
    );
    pub(super) const HE: &str = formula!(
        "<msup><mi>σ</mi><mn>2</mn></msup><mo>=</mo><mn>2</mn><mo>/</mo><msub><mi>n</mi><mtext>in</mtext></msub>"
    );
    pub(super) const LECUN: &str = formula!(
        "<msup><mi>σ</mi><mn>2</mn></msup><mo>=</mo><mn>1</mn><mo>/</mo><msub><mi>n</mi><mtext>in</mtext></msub>"
    );
    pub(super) const NORMAL: &str = formula!("<mi>σ</mi><mo>=</mo><mn>0.02</mn>");
    pub(super) const SMALL: &str = formula!(
        "<msup><mi>σ</mi><mn>2</mn></msup><mo>=</mo><mn>2</mn><mo>/</mo><mo stretchy=\"false\">(</mo><mn>5</mn>",
        "<mi>min</mi><mo stretchy=\"false\">(</mo><msub><mi>n</mi><mtext>in</mtext></msub><mo>,</mo>",
        "<msub><mi>n</mi><mtext>out</mtext></msub><mo stretchy=\"false\">)</mo><mo stretchy=\"false\">)</mo>"
    );
    pub(super) const LAYERNORM: &str = formula!(
        "<mi mathvariant=\"normal\">N</mi><mo stretchy=\"false\">(</mo><mi>x</mi><mo stretchy=\"false\">)</mo><mo>=</mo>",
        "<mo stretchy=\"false\">(</mo><mi>x</mi><mo>−</mo><mi>μ</mi><mo stretchy=\"false\">)</mo><mo>/</mo>",
        "<msqrt><mrow><msup><mi>σ</mi><mn>2</mn></msup><mo>+</mo><mi>ε</mi></mrow></msqrt>"
    );
    pub(super) const RMSNORM: &str = formula!(
        "<mi mathvariant=\"normal\">N</mi><mo stretchy=\"false\">(</mo><mi>x</mi><mo stretchy=\"false\">)</mo><mo>=</mo>",
        "<mi>x</mi><mo>/</mo><msqrt><mrow><mover><msup><mi>x</mi><mn>2</mn></msup><mo>¯</mo></mover><mo>+</mo>",
        "<mi>ε</mi></mrow></msqrt>"
    );
    pub(super) const RELU: &str = formula!(
        "<mi>max</mi><mo stretchy=\"false\">(</mo><mi>x</mi><mo>,</mo><mn>0</mn><mo stretchy=\"false\">)</mo>"
    );
    pub(super) const GELU: &str = formula!(
        "<mi>x</mi><mi mathvariant=\"normal\">Φ</mi><mo stretchy=\"false\">(</mo><mi>x</mi><mo stretchy=\"false\">)</mo>"
    );
    pub(super) const SWIGLU: &str = formula!(
        "<mo stretchy=\"false\">(</mo><mi>silu</mi><mo stretchy=\"false\">(</mo><mi>x</mi><msub><mi>W</mi><mi>g</mi></msub>",
        "<mo stretchy=\"false\">)</mo><mo>⊙</mo><mi>x</mi><msub><mi>W</mi><mn>1</mn></msub><mo stretchy=\"false\">)</mo>",
        "<msub><mi>W</mi><mn>2</mn></msub>"
    );
    pub(super) const RESIDUAL: &str = formula!("<mn>1</mn><mo>/</mo><msqrt><mrow><mn>2</mn><mi>L</mi></mrow></msqrt>");
    pub(super) const GRADIENT: &str = formula!(
        "<mo>‖</mo><mo>∂</mo><mi mathvariant=\"script\">L</mi><mo>/</mo><mo>∂</mo><mi>W</mi><msub><mo>‖</mo><mi>F</mi></msub>"
    );
}

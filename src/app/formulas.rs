//! Formulas in MathML. What is a formula is the same in every language.

use crate::chart::block::equation;
use crate::chart::parts::{Part, Role};
use crate::model::{Activation, Attention, Config, QkNorm, SublayerKind};

macro_rules! formula {
    ($($part:literal),+ $(,)?) => { concat!("<math><mrow>", $($part),+, "</mrow></math>") };
}

/// The formula of a control, or of the value it has; empty where there is none.
#[must_use]
pub(crate) fn of_control(key: &str, value: &str) -> &'static str {
    match (key, value) {
        ("init", "he") => HE,
        ("init", "lecun") => LECUN,
        ("init", "normal-0.02") => NORMAL,
        ("init", "small") => SMALL,
        ("init", _) => XAVIER,
        ("norm", "rmsnorm") => RMSNORM,
        ("norm", _) => LAYERNORM,
        ("act", "gelu") => GELU,
        ("act", "swiglu") => SWIGLU,
        ("act", _) => RELU,
        ("statistic", gradient) if gradient.starts_with("grad_weight") || gradient == "grad_stream" => GRADIENT,
        ("residual_scale", _) => RESIDUAL,
        _ => "",
    }
}

const XAVIER: &str = formula!(
    "<msup><mi>σ</mi><mn>2</mn></msup><mo>=</mo><mn>2</mn><mo>/</mo><mo stretchy=\"false\">(</mo>",
    "<msub><mi>n</mi><mtext>in</mtext></msub><mo>+</mo><msub><mi>n</mi><mtext>out</mtext></msub>",
    "<mo stretchy=\"false\">)</mo>"
);
const HE: &str =
    formula!("<msup><mi>σ</mi><mn>2</mn></msup><mo>=</mo><mn>2</mn><mo>/</mo><msub><mi>n</mi><mtext>in</mtext></msub>");
const LECUN: &str =
    formula!("<msup><mi>σ</mi><mn>2</mn></msup><mo>=</mo><mn>1</mn><mo>/</mo><msub><mi>n</mi><mtext>in</mtext></msub>");
const NORMAL: &str = formula!("<mi>σ</mi><mo>=</mo><mn>0.02</mn>");
const SMALL: &str = formula!(
    "<msup><mi>σ</mi><mn>2</mn></msup><mo>=</mo><mn>2</mn><mo>/</mo><mo stretchy=\"false\">(</mo><mn>5</mn>",
    "<mi>min</mi><mo stretchy=\"false\">(</mo><msub><mi>n</mi><mtext>in</mtext></msub><mo>,</mo>",
    "<msub><mi>n</mi><mtext>out</mtext></msub><mo stretchy=\"false\">)</mo><mo stretchy=\"false\">)</mo>"
);
const LAYERNORM: &str = formula!(
    "<mi mathvariant=\"normal\">N</mi><mo stretchy=\"false\">(</mo><mi>x</mi><mo stretchy=\"false\">)</mo><mo>=</mo>",
    "<mo stretchy=\"false\">(</mo><mi>x</mi><mo>−</mo><mi>μ</mi><mo stretchy=\"false\">)</mo><mo>/</mo>",
    "<msqrt><mrow><msup><mi>σ</mi><mn>2</mn></msup><mo>+</mo><mi>ε</mi></mrow></msqrt>"
);
const RMSNORM: &str = formula!(
    "<mi mathvariant=\"normal\">N</mi><mo stretchy=\"false\">(</mo><mi>x</mi><mo stretchy=\"false\">)</mo><mo>=</mo>",
    "<mi>x</mi><mo>/</mo><msqrt><mrow><mover><msup><mi>x</mi><mn>2</mn></msup><mo>¯</mo></mover><mo>+</mo>",
    "<mi>ε</mi></mrow></msqrt>"
);
const RELU: &str =
    formula!("<mi>max</mi><mo stretchy=\"false\">(</mo><mi>x</mi><mo>,</mo><mn>0</mn><mo stretchy=\"false\">)</mo>");
const GELU: &str = formula!(
    "<mfrac><mi>x</mi><mn>2</mn></mfrac><mo stretchy=\"false\">(</mo><mn>1</mn><mo>+</mo><mi>tanh</mi>",
    "<mo stretchy=\"false\">(</mo><msqrt><mrow><mn>2</mn><mo>/</mo><mi>π</mi></mrow></msqrt><mo stretchy=\"false\">(</mo>",
    "<mi>x</mi><mo>+</mo><mn>0.044715</mn><msup><mi>x</mi><mn>3</mn></msup><mo stretchy=\"false\">)</mo>",
    "<mo stretchy=\"false\">)</mo><mo stretchy=\"false\">)</mo>"
);
const SWIGLU: &str = formula!(
    "<mo stretchy=\"false\">(</mo><mi>silu</mi><mo stretchy=\"false\">(</mo><mi>x</mi><msub><mi>W</mi><mi>g</mi></msub>",
    "<mo stretchy=\"false\">)</mo><mo>⊙</mo><mi>x</mi><msub><mi>W</mi><mn>1</mn></msub><mo stretchy=\"false\">)</mo>",
    "<msub><mi>W</mi><mn>2</mn></msub>"
);
const RESIDUAL: &str = formula!("<mn>1</mn><mo>/</mo><msqrt><mrow><mn>2</mn><mi>L</mi></mrow></msqrt>");
const GRADIENT: &str = formula!(
    "<mo>‖</mo><mo>∂</mo><mi mathvariant=\"script\">L</mi><mo>/</mo><mo>∂</mo><mi>W</mi><msub><mo>‖</mo><mi>F</mi></msub>"
);

/// The formula of a part of a block: what it makes of what it gets.
#[must_use]
pub(crate) fn of_part(part: Part, config: &Config) -> String {
    const OUTPUT: &str = "<msub><mi>W</mi><mi>O</mi></msub>";
    match part.role {
        Role::Function(SublayerKind::FeedForward) if config.act == Activation::SwiGlu => SWIGLU.into(),
        Role::Function(SublayerKind::FeedForward) => format!(
            "<math><mrow><mi>{}</mi><mo stretchy=\"false\">(</mo><mi>x</mi><msub><mi>W</mi><mn>1</mn></msub>\
             <mo stretchy=\"false\">)</mo><msub><mi>W</mi><mn>2</mn></msub></mrow></math>",
            config.act.key()
        ),
        Role::Function(_) => {
            let weights = match (config.attention, config.qk_norm, config.causal.0) {
                (Attention::Softmax, QkNorm::None, _) => SOFTMAX,
                (Attention::Softmax, ..) => SOFTMAX_OF_NORMED,
                (Attention::Uniform, _, false) => UNIFORM,
                // A token averages itself and those before it.
                (Attention::Uniform, _, true) => UNIFORM_CAUSAL,
            };
            let output = if config.output_projection.0 { OUTPUT } else { "" };
            format!("<math><mrow>{weights}<mi>V</mi>{output}</mrow></math>")
        }
        Role::Sum => equation(config.placement),
        Role::EmbeddingNorm | Role::InputNorm | Role::BranchNorm | Role::SumNorm => {
            of_control("norm", config.norm.key()).into()
        }
    }
}

const SOFTMAX: &str = concat!(
    "<mi>softmax</mi><mo stretchy=\"false\">(</mo><mi>Q</mi><msup><mi>K</mi><mi mathvariant=\"normal\">T</mi></msup>",
    "<mo>/</mo><msqrt><mi>k</mi></msqrt><mo stretchy=\"false\">)</mo>"
);
const SOFTMAX_OF_NORMED: &str = concat!(
    "<mi>softmax</mi><mo stretchy=\"false\">(</mo><mi mathvariant=\"normal\">N</mi><mo stretchy=\"false\">(</mo><mi>Q</mi>",
    "<mo stretchy=\"false\">)</mo><mi mathvariant=\"normal\">N</mi><mo stretchy=\"false\">(</mo><mi>K</mi>",
    "<msup><mo stretchy=\"false\">)</mo><mi mathvariant=\"normal\">T</mi></msup><mo>/</mo><msqrt><mi>k</mi></msqrt>",
    "<mo stretchy=\"false\">)</mo>"
);
const UNIFORM_CAUSAL: &str = "<mfrac><mn>1</mn><mi>t</mi></mfrac><msub><mn mathvariant=\"normal\">1</mn><mrow><mi>s</mi><mo>≤</mo><mi>t</mi></mrow></msub>";
const UNIFORM: &str = "<mfrac><mn>1</mn><mi>T</mi></mfrac><mn mathvariant=\"normal\">1</mn>";

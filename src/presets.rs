//! Named configurations: models of the literature as far as a pass at initialisation has them, and pairs that teach.
//!
//! A preset fixes structure and a depth, not size: width, heads, tokens and vocabulary stay those of the page.

use crate::model::config::named_enum;

named_enum! {
    /// What a preset is for.
    PresetKind {
        /// A model or a setting that was published.
        Published = "published",
        /// Two settings whose difference is the lesson.
        Lesson = "lesson",
    }
}

/// A named configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name in links.
    pub key: &'static str,
    /// What it is for.
    pub kind: PresetKind,
    /// Its name on the page.
    pub title: &'static str,
    /// What there is to see, in a sentence.
    pub sentence: &'static str,
    /// Where it is from.
    pub source: &'static str,
    /// The query that has it.
    pub query: &'static str,
    /// What of the original is not in the query.
    pub left_out: &'static str,
}

/// All presets, in the order in which they are offered.
pub const ALL: &[Preset] = &[
    Preset {
        key: "vaswani-2017",
        kind: PresetKind::Published,
        title: "Transformer, 2017",
        sentence: "The decoder of the first Transformer: Post-LN with cross-attention, where gradients do vanish.",
        source: "Vaswani et al. 2017, arXiv 1706.03762, §3.1",
        query: "placement=post&depth=6&cross=1&memory_cos=0.7&causal=1&init=xavier-uniform",
        left_out: "biases, embeddings and positions, dropout, the encoder itself: the memory is a constant; vocabulary \
                   and width",
    },
    Preset {
        key: "bert",
        kind: PresetKind::Published,
        title: "BERT-Large",
        sentence: "24 blocks of Post-LN, GELU, and weights of standard deviation 0.02 whatever the width.",
        source: "Devlin et al. 2018, arXiv 1810.04805, §3 and App. A.2",
        query: "placement=post&depth=24&act=gelu&init=normal-0.02",
        left_out: "biases, embeddings, dropout, the cut of the normal at two deviations; at width 64 a deviation of \
                   0.02 makes the branches far smaller than at BERT's 1024",
    },
    Preset {
        key: "gpt-2",
        kind: PresetKind::Published,
        title: "GPT-2",
        sentence: "Pre-LN whose branches are scaled down with depth, so that the stream hardly grows.",
        source: "Radford et al. 2019, §2.3",
        query: "placement=pre&depth=48&act=gelu&init=normal-0.02&residual_scale=gpt2&causal=1",
        left_out: "biases, embeddings, dropout; whether N counts blocks or sublayers is not said, and here it counts \
                   sublayers; vocabulary and width",
    },
    Preset {
        key: "llama-3",
        kind: PresetKind::Published,
        title: "Llama 3 style",
        sentence: "The plain Pre-LN of most open models: RMSNorm, SwiGLU, causal.",
        source: "Grattafiori et al. 2024, arXiv 2407.21783, §3.2",
        query: "placement=pre&depth=32&norm=rmsnorm&act=swiglu&causal=1",
        left_out: "rotary positions, grouped queries, embeddings, its own ratio of FFN to width and its init; \
                   vocabulary and width",
    },
    Preset {
        key: "xiong",
        kind: PresetKind::Published,
        title: "Xiong's simplified setting",
        sentence: "What Theorem 1 is about: the last layer's gradient falls as 1/√L in Pre-LN and stays in Post-LN.",
        source: "Xiong et al. 2020, arXiv 2002.04745, §3.3",
        query: "placement=post,pre&depth=12&heads=1&ffn=1&attention=uniform&output_projection=0",
        left_out: "width 512 and more tokens, which the value 1.6 of their figure depends on; their figure is of real \
                   text",
    },
    Preset {
        key: "cogview",
        kind: PresetKind::Published,
        title: "CogView",
        sentence: "Where Sandwich-LN comes from: a second norm on every branch, against overflow in FP16.",
        source: "Ding et al. 2021, arXiv 2105.13290, §2.4",
        query: "placement=sandwich&depth=48&act=gelu&causal=1",
        left_out: "biases, embeddings, its init, the rescaling of attention scores (PB-relax); vocabulary and width",
    },
    Preset {
        key: "gemma-3",
        kind: PresetKind::Published,
        title: "Gemma 3",
        sentence: "Sandwich-LN with RMSNorm, and a norm on every head's query and key.",
        source: "Gemma Team 2025, arXiv 2503.19786, §2.1",
        query: "placement=sandwich&depth=34&norm=rmsnorm&qk_norm=head&act=swiglu&causal=1",
        left_out: "rotary positions, grouped queries, local attention, GELU in the gate where this has SiLU, ε = 1e-6, \
                   embeddings; vocabulary and width",
    },
    Preset {
        key: "olmo-2",
        kind: PresetKind::Published,
        title: "OLMo 2",
        sentence: "One norm, on the branch's output; the QK-norm keeps attention from reading the stream's size.",
        source: "Team OLMo 2025, arXiv 2501.00656, §3.3.2",
        query: "placement=olmo2&depth=32&norm=rmsnorm&qk_norm=full&act=swiglu&causal=1",
        left_out: "rotary positions, z-loss, its init N(0, 0.02), ε = 1e-6, embeddings; vocabulary and width",
    },
    Preset {
        key: "olmo-2-no-qk",
        kind: PresetKind::Published,
        title: "OLMo 2 without QK-norm",
        sentence: "The same without the norm on queries and keys: the gradient explodes.",
        source: "Team OLMo 2025, arXiv 2501.00656, §3.3.2 (neither change alone gave good results)",
        query: "placement=olmo2&depth=32&norm=rmsnorm&act=swiglu&causal=1",
        left_out: "rotary positions, z-loss, its init N(0, 0.02), ε = 1e-6, embeddings; vocabulary and width",
    },
    Preset {
        key: "deepnet",
        kind: PresetKind::Published,
        title: "DeepNet",
        sentence: "DeepNorm gives every one of 200 layers the same gradient.",
        source: "Wang et al. 2022, arXiv 2203.00555, §4",
        query: "placement=deepnorm&depth=200",
        left_out: "biases, embeddings, the encoder-decoder's own constants; vocabulary and width",
    },
    Preset {
        key: "peri-ln",
        kind: PresetKind::Published,
        title: "Peri-LN",
        sentence: "Sandwich-LN on a normalised embedding.",
        source: "Kim et al. 2025, arXiv 2502.02732",
        query: "placement=peri&depth=24&norm=rmsnorm&act=swiglu&causal=1",
        left_out: "rotary positions, embeddings, its init; vocabulary and width",
    },
    Preset {
        key: "keel",
        kind: PresetKind::Published,
        title: "Keel",
        sentence: "Post-LN with a skip path as strong as the number of sublayers: the gradient passes unchanged.",
        source: "Chen and Wei 2026, arXiv 2601.19895, eq. 8 and §3.1",
        query: "placement=keel&depth=200",
        left_out: "rotary positions, embeddings, its init and width",
    },
    Preset {
        key: "post-pre-96",
        kind: PresetKind::Lesson,
        title: "Post-LN and Pre-LN at 96",
        sentence: "One keeps the stream and evens out gradients, the other lets the stream grow and favours its first \
                   layers.",
        source: "Xiong et al. 2020, arXiv 2002.04745, Lemma 2 and Theorem 1",
        query: "placement=post,pre&depth=96",
        left_out: "all that training does",
    },
    Preset {
        key: "cross-attention",
        kind: PresetKind::Lesson,
        title: "2^(−L/2) of cross-attention",
        sentence: "With cross-attention the gradient of Post-LN halves every two blocks; switch it off and it does \
                   not.",
        source: "Liu et al. 2020, arXiv 2004.08249; Chen and Wei 2026, arXiv 2601.19895, eq. 15",
        query: "placement=post&depth=48&cross=1&causal=1&statistic=grad_stream",
        left_out: "the encoder: the memory is a constant whose tokens are alike",
    },
    Preset {
        key: "sandwich-stream",
        kind: PresetKind::Lesson,
        title: "Sandwich-LN does not bound the stream",
        sentence: "Every sublayer adds variance 1, so that the stream goes as √(1 + 2L), above that of Pre-LN.",
        source: "Kim et al. 2025, arXiv 2502.02732 (linear growth of the variance)",
        query: "placement=pre,sandwich&depth=200",
        left_out: "gains that training changes",
    },
    Preset {
        key: "init",
        kind: PresetKind::Lesson,
        title: "Init decides as much as placement",
        sentence: "With small weights even deep Post-LN keeps its tokens apart; change Init to Xavier and they \
                   collapse.",
        source: "Nguyen and Salazar 2019, arXiv 1910.05895; Noci et al. 2022, arXiv 2206.03126",
        query: "placement=post,pre&depth=12&init=small&statistic=token_cosine&statistic_scale=linear",
        left_out: "all that training does",
    },
];

/// The preset with this key.
#[must_use]
pub fn find(key: &str) -> Option<&'static Preset> {
    ALL.iter().find(|preset| preset.key == key)
}

//! Named configurations: models of the literature as far as a pass at initialisation has them, and pairs that teach.
//!
//! A preset fixes structure and a depth, not size: width, heads, tokens and vocabulary stay those of the page.

use crate::model::config::named_enum;
use crate::text::presets as says;

named_enum! {
    /// What a preset is for.
    PresetKind {
        /// A model or a setting that was published.
        Published = "published",
        /// Two settings whose difference is the lesson.
        Lesson = "lesson",
    }
}

/// A named configuration. What is said of it is among the texts, by its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name in links.
    pub key: &'static str,
    /// What it is for.
    pub kind: PresetKind,
    /// The name of a model; `None` where the title is words.
    pub(crate) name: Option<&'static str>,
    /// A citation; `None` where it has words in it.
    pub(crate) source: Option<&'static str>,
    /// The query that has it.
    pub query: &'static str,
}

impl Preset {
    /// Its name on the page.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.name.unwrap_or_else(|| says::of(self.key, "title"))
    }

    /// What there is to see, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> &'static str {
        says::of(self.key, "sentence")
    }

    /// Where it is from.
    #[must_use]
    pub fn source(&self) -> &'static str {
        self.source.unwrap_or_else(|| says::of(self.key, "source"))
    }

    /// What of the original is not in the query.
    #[must_use]
    pub fn left_out(&self) -> &'static str {
        says::of(self.key, "left_out")
    }
}

/// All presets, in the order in which they are offered.
pub const ALL: &[Preset] = &[
    Preset {
        key: "vaswani-2017",
        kind: PresetKind::Published,
        name: Some("Transformer, 2017"),
        source: Some("Vaswani et al. 2017, arXiv 1706.03762, §3.1"),
        query: "placement=post&depth=6&cross=1&memory_cos=0.7&causal=1&init=xavier-uniform",
    },
    Preset {
        key: "bert",
        kind: PresetKind::Published,
        name: Some("BERT-Large"),
        source: Some("Devlin et al. 2018, arXiv 1810.04805, §3 and App. A.2"),
        query: "placement=post&depth=24&act=gelu&init=normal-0.02",
    },
    Preset {
        key: "gpt-2",
        kind: PresetKind::Published,
        name: Some("GPT-2"),
        source: Some("Radford et al. 2019, §2.3"),
        query: "placement=pre&depth=48&act=gelu&init=normal-0.02&residual_scale=gpt2&causal=1",
    },
    Preset {
        key: "llama-3",
        kind: PresetKind::Published,
        name: None,
        source: Some("Grattafiori et al. 2024, arXiv 2407.21783, §3.2"),
        query: "placement=pre&depth=32&norm=rmsnorm&act=swiglu&causal=1",
    },
    Preset {
        key: "xiong",
        kind: PresetKind::Published,
        name: None,
        source: Some("Xiong et al. 2020, arXiv 2002.04745, §3.3"),
        query: "placement=post,pre&depth=12&heads=1&ffn=1&attention=uniform&output_projection=0",
    },
    Preset {
        key: "cogview",
        kind: PresetKind::Published,
        name: Some("CogView"),
        source: Some("Ding et al. 2021, arXiv 2105.13290, §2.4"),
        query: "placement=sandwich&depth=48&act=gelu&causal=1",
    },
    Preset {
        key: "gemma-3",
        kind: PresetKind::Published,
        name: Some("Gemma 3"),
        source: Some("Gemma Team 2025, arXiv 2503.19786, §2.1"),
        query: "placement=sandwich&depth=34&norm=rmsnorm&qk_norm=head&act=swiglu&causal=1",
    },
    Preset {
        key: "olmo-2",
        kind: PresetKind::Published,
        name: Some("OLMo 2"),
        source: Some("Team OLMo 2025, arXiv 2501.00656, §3.3.2"),
        query: "placement=olmo2&depth=32&norm=rmsnorm&qk_norm=full&act=swiglu&causal=1",
    },
    Preset {
        key: "olmo-2-no-qk",
        kind: PresetKind::Published,
        name: None,
        source: None,
        query: "placement=olmo2&depth=32&norm=rmsnorm&act=swiglu&causal=1",
    },
    Preset {
        key: "deepnet",
        kind: PresetKind::Published,
        name: Some("DeepNet"),
        source: Some("Wang et al. 2022, arXiv 2203.00555, §4"),
        query: "placement=deepnorm&depth=200",
    },
    Preset {
        key: "peri-ln",
        kind: PresetKind::Published,
        name: Some("Peri-LN"),
        source: Some("Kim et al. 2025, arXiv 2502.02732"),
        query: "placement=peri&depth=24&norm=rmsnorm&act=swiglu&causal=1",
    },
    Preset {
        key: "keel",
        kind: PresetKind::Published,
        name: Some("Keel"),
        source: Some("Chen and Wei 2026, arXiv 2601.19895, eq. 8 and §3.1"),
        query: "placement=keel&depth=200",
    },
    Preset {
        key: "post-pre-96",
        kind: PresetKind::Lesson,
        name: None,
        source: Some("Xiong et al. 2020, arXiv 2002.04745, Lemma 2 and Theorem 1"),
        query: "placement=post,pre&depth=96",
    },
    Preset {
        key: "cross-attention",
        kind: PresetKind::Lesson,
        name: None,
        source: Some("Liu et al. 2020, arXiv 2004.08249; Chen and Wei 2026, arXiv 2601.19895, eq. 15"),
        query: "placement=post&depth=48&cross=1&causal=1&statistic=grad_stream",
    },
    Preset {
        key: "sandwich-stream",
        kind: PresetKind::Lesson,
        name: None,
        source: None,
        query: "placement=pre,sandwich&depth=200",
    },
    Preset {
        key: "init",
        kind: PresetKind::Lesson,
        name: None,
        source: Some("Nguyen and Salazar 2019, arXiv 1910.05895; Noci et al. 2022, arXiv 2206.03126"),
        query: "placement=post,pre&depth=12&init=small&statistic=token_cosine&statistic_scale=linear",
    },
];

/// The preset with this key.
#[must_use]
pub fn find(key: &str) -> Option<&'static Preset> {
    ALL.iter().find(|preset| preset.key == key)
}

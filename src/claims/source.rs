//! The literature that claims cite.

use crate::text::claims as text;

/// A paper, report or standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its title.
    pub title: &'static str,
    /// Its authors.
    pub authors: &'static str,
    /// Year of its first version.
    pub year: u16,
    /// Its number on arXiv, if it is there.
    pub arxiv: Option<&'static str>,
}

/// A place in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cite {
    /// Which source.
    pub source: SourceId,
    place: Place,
    /// Whether it was read in notes, abstracts or other papers rather than in the source itself.
    pub second_hand: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// As it is in every language; empty for the whole.
    Number(&'static str),
    /// In words, by the name of their text.
    Words(&'static str),
}

/// A place that was read in the source itself.
pub(super) const fn read(source: SourceId, place: &'static str) -> Cite {
    Cite { source, place: Place::Number(place), second_hand: false }
}

/// A place that is known from others.
pub(super) const fn told(source: SourceId, place: &'static str) -> Cite {
    Cite { second_hand: true, ..read(source, place) }
}

impl Cite {
    /// The same with a place in words.
    pub(super) const fn at(self, name: &'static str) -> Self {
        Self { place: Place::Words(name), ..self }
    }

    /// Section, theorem, figure; empty for the whole.
    #[must_use]
    pub fn place(&self) -> &'static str {
        match self.place {
            Place::Number(place) => place,
            Place::Words(name) => text::of("at", name),
        }
    }

    /// The name of the text of its place, if that is in words.
    #[cfg(test)]
    pub(crate) const fn place_name(&self) -> Option<&'static str> {
        if let Place::Words(name) = self.place { Some(name) } else { None }
    }
}

macro_rules! sources {
    ($($(#[$meta:meta])* $id:ident = $title:literal, $authors:literal, $year:literal, $arxiv:expr;)+) => {
        /// The sources, by a short name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SourceId { $(#[doc = concat!($authors, ", ", stringify!($year), ".")] $id),+ }

        impl SourceId {
            /// Every source.
            pub const ALL: &'static [Self] = &[$(Self::$id),+];

            /// What it is.
            #[must_use]
            pub const fn source(self) -> Source {
                match self {
                    $(Self::$id => Source { title: $title, authors: $authors, year: $year, arxiv: $arxiv }),+
                }
            }
        }
    };
}

sources! {
    Vaswani = "Attention Is All You Need", "Vaswani et al.", 2017, Some("1706.03762");
    Xiong = "On Layer Normalization in the Transformer Architecture", "Xiong et al.", 2020, Some("2002.04745");
    WangQiang = "Learning Deep Transformer Models for Machine Translation",
        "Wang, Li, Xiao, Zhu, Li, Wong and Chao", 2019, Some("1906.01787");
    Bert = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
        "Devlin, Chang, Lee and Toutanova", 2018, Some("1810.04805");
    ResNet = "Deep Residual Learning for Image Recognition", "He, Zhang, Ren and Sun", 2015, Some("1512.03385");
    LayerNorm = "Layer Normalization", "Ba, Kiros and Hinton", 2016, Some("1607.06450");
    RmsNorm = "Root Mean Square Layer Normalization", "Zhang and Sennrich", 2019, Some("1910.07467");
    DeepNet = "DeepNet: Scaling Transformers to 1,000 Layers", "Wang et al.", 2022, Some("2203.00555");
    Admin = "Understanding the Difficulty of Training Transformers", "Liu, Liu, Gao, Chen and Han", 2020,
        Some("2004.08249");
    DsInit = "Improving Deep Transformer with Depth-Scaled Initialization and Merged Attention",
        "Zhang, Titov and Sennrich", 2019, Some("1908.11365");
    TFixup = "Improving Transformer Optimization Through Better Initialization", "Huang, Pérez, Ba and Volkovs", 2020,
        None;
    RAdam = "On the Variance of the Adaptive Learning Rate and Beyond", "Liu et al.", 2019, Some("1908.03265");
    Keel = "Post-LayerNorm Is Back: Stable, ExpressivE, and Deep", "Chen and Wei", 2026, Some("2601.19895");
    Olmo2 = "2 OLMo 2 Furious", "Team OLMo", 2025, Some("2501.00656");
    Gemma2 = "Gemma 2: Improving Open Language Models at a Practical Size", "Gemma Team", 2024, Some("2408.00118");
    Gemma3 = "Gemma 3 Technical Report", "Gemma Team", 2025, Some("2503.19786");
    CogView = "CogView: Mastering Text-to-Image Generation via Transformers", "Ding et al.", 2021, Some("2105.13290");
    PeriLn = "Peri-LN: Revisiting Normalization Layer in the Transformer Architecture", "Kim et al.", 2025,
        Some("2502.02732");
    B2t = "B2T Connection: Serving Stability and Performance in Deep Transformers",
        "Takase, Kiyono, Kobayashi and Suzuki", 2022, Some("2206.00330");
    CurseOfDepth = "The Curse of Depth in Large Language Models", "Sun et al.", 2025, Some("2502.05795");
    MassiveActivations = "Massive Activations in Large Language Models", "Sun, Chen, Kolter and Liu", 2024,
        Some("2402.17762");
    ResiDual = "ResiDual: Transformer with Dual Residual Connections", "Xie et al.", 2023, Some("2304.14802");
    Glm130b = "GLM-130B: An Open Bilingual Pre-trained Model", "Zeng et al.", 2022, Some("2210.02414");
    SwinV2 = "Swin Transformer V2: Scaling Up Capacity and Resolution", "Liu et al.", 2021, Some("2111.09883");
    Chameleon = "Chameleon: Mixed-Modal Early-Fusion Foundation Models", "Chameleon Team", 2024, Some("2405.09818");
    Noci = "Signal Propagation in Transformers: Theoretical Perspectives and the Role of Rank Collapse",
        "Noci et al.", 2022, Some("2206.03126");
    Dong = "Attention is not all you need: pure attention loses rank doubly exponentially with depth",
        "Dong, Cordonnier and Loukas", 2021, Some("2103.03404");
    NormFormer = "NormFormer: Improved Transformer Pretraining with Extra Normalization",
        "Shleifer, Weston and Ott", 2021, Some("2110.09456");
    Baevski = "Adaptive Input Representations for Neural Language Modeling", "Baevski and Auli", 2018,
        Some("1809.10853");
    Child = "Generating Long Sequences with Sparse Transformers", "Child, Gray, Radford and Sutskever", 2019,
        Some("1904.10509");
    Gpt2 = "Language Models are Unsupervised Multitask Learners", "Radford et al.", 2019, None;
    Gpt3 = "Language Models are Few-Shot Learners", "Brown et al.", 2020, Some("2005.14165");
    Gpt4 = "GPT-4 Technical Report", "OpenAI", 2023, Some("2303.08774");
    Llama3 = "The Llama 3 Herd of Models", "Grattafiori et al.", 2024, Some("2407.21783");
    Qwen3 = "Qwen3 Technical Report", "Yang et al.", 2025, Some("2505.09388");
    Glorot = "Understanding the difficulty of training deep feedforward neural networks", "Glorot and Bengio", 2010,
        None;
    HeInit = "Delving Deep into Rectifiers", "He, Zhang, Ren and Sun", 2015, Some("1502.01852");
    Ieee754 = "IEEE Standard for Floating-Point Arithmetic", "IEEE", 2019, None;
}

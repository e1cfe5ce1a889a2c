//! A query string to a request and back.

use crate::model::config::named_enum;
use crate::model::{Config, Placement, Tensor};
use crate::stats::{Engine, Quantity};
use crate::text::links as says;

use super::keys::{Kind, STATISTICS, VERSION, keys};
use super::pins::{self, MOST_PIN_LETTERS};
use super::shelf::{Guide, Topic, VerdictKind};
use crate::text::Language;

named_enum! {
    /// The scale of a y axis.
    Scale {
        /// Equal steps are equal differences.
        Linear = "linear",
        /// Equal steps are equal ratios.
        Log = "log",
    }
}

named_enum! {
    /// What the curves of the charts are.
    Relation {
        /// What was measured.
        Values = "values",
        /// That over what the first of the models has that are kept, or of those shown where none is.
        Ratio = "ratio",
        /// That less it.
        Difference = "difference",
    }
}

named_enum! {
    /// What the x axis of the charts counts.
    Along {
        /// Blocks.
        Block = "block",
        /// The share of the model's depth.
        Share = "share",
    }
}

named_enum! {
    /// Parts of the page that a link can leave out.
    Part {
        /// The bar at the top.
        Bar = "bar",
        /// The slider and play.
        Depth = "depth",
        /// The placements.
        Placements = "placements",
        /// The first chart.
        First = "first",
        /// The second.
        Second = "second",
        /// What the buttons of the charts choose.
        Options = "options",
        /// What is read from the charts, with the drawn blocks.
        Readings = "readings",
        /// Further statistics.
        More = "more",
        /// The table of models and what is kept.
        Compare = "compare",
        /// What theory says.
        Theory = "theory",
        /// Who computed, and how long.
        Status = "status",
        /// The settings of the model.
        Settings = "settings",
        /// The way to the whole page.
        Whole = "whole",
    }
}

named_enum! {
    /// The colours of the page.
    Theme {
        /// Dark on light.
        Light = "light",
        /// Light on dark.
        Dark = "dark",
    }
}

/// What a chart shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChartChoice {
    /// The quantity.
    pub statistic: Quantity,
    /// Scale of the y axis; `None` leaves it to the quantity.
    pub scale: Option<Scale>,
}

named_enum! {
    /// How fast play moves the depth.
    Speed {
        /// Eight seconds a doubling.
        Half = "0.5",
        /// Four.
        One = "1",
        /// Two.
        Two = "2",
        /// One.
        Four = "4",
    }
}

impl Speed {
    /// Times four seconds a doubling.
    #[must_use]
    pub const fn factor(self) -> f64 {
        match self {
            Self::Half => 0.5,
            Self::One => 1.0,
            Self::Two => 2.0,
            Self::Four => 4.0,
        }
    }
}

named_enum! {
    /// What the page shows.
    View {
        /// Charts of the runs asked for.
        Explore = "explore",
        /// Models of every depth at once.
        Atlas = "atlas",
        /// What is said of norms and depth, put to the test.
        Claims = "claims",
    }
}

/// Which claims are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClaimFilter {
    /// The claim that is opened, 1 to 90.
    pub claim: Option<u32>,
    /// Those of one guide.
    pub guide: Option<Guide>,
    /// Those on one topic.
    pub topic: Option<Topic>,
    /// Those of one verdict in the literature.
    pub verdict: Option<VerdictKind>,
}

/// Who asks: the page compares several placements, the command line runs one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// `placement` is a list, default `post,pre`.
    Page,
    /// `placement` is one, default `pre`.
    CommandLine,
}

/// What a link asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What the page shows.
    pub view: View,
    /// Which claims.
    pub claims: ClaimFilter,
    /// The placements to compare, one or more, in the order given.
    pub placements: Vec<Placement>,
    /// Everything else of a run; its placement is the first of `placements`.
    pub config: Config,
    /// Who computes; `None` leaves the choice to the page or the command line.
    pub engine: Option<Engine>,
    /// Runs of each placement, with the configuration's seed and those after it; 1 to 32.
    pub seeds: u32,
    /// What the two charts show; the atlas shows the statistic of the second.
    pub charts: [ChartChoice; 2],
    /// What the curves of the charts are.
    pub relation: Relation,
    /// What their x axis counts.
    pub along: Along,
    /// Whether each model has charts of its own.
    pub multiples: bool,
    /// Whether the page is drawn large, for a projector.
    pub projector: bool,
    /// Whether theory is drawn over the measurement.
    pub theory: bool,
    /// Depth of the deepest model of the atlas, 12 to 200.
    pub deepest: u32,
    /// MiB of memory that a pass may take, 64 to 16384.
    pub memory: u32,
    /// The step of the tour, 1 to 5.
    pub tour: Option<u32>,
    /// Models that are kept to compare with.
    pub pins: Vec<Config>,
    /// How fast play moves the depth.
    pub speed: Speed,
    /// Whether play begins anew at its end.
    pub repeat: bool,
    /// The language; `None` leaves it to the reader.
    pub language: Option<Language>,
    /// The colours; `None` leaves them to the reader.
    pub theme: Option<Theme>,
    /// Whether the page is a part of another, without bar and settings.
    pub embed: bool,
    /// Parts of the page that are not shown.
    pub hide: Vec<Part>,
    /// Address of a file of presets, as the link has it; empty where there is none.
    pub presets: String,
}

impl Request {
    /// Bytes of memory that a pass may take.
    #[must_use]
    pub fn budget_bytes(&self) -> u64 {
        u64::from(self.memory) << 20
    }

    /// What an empty query asks for.
    #[must_use]
    pub fn default_for(target: Target) -> Self {
        let placements = match target {
            Target::Page => vec![Placement::Post, Placement::Pre],
            Target::CommandLine => vec![Placement::Pre],
        };
        Self {
            config: Config { placement: placements[0], ..Config::default() },
            view: View::Explore,
            claims: ClaimFilter::default(),
            placements,
            engine: None,
            seeds: 1,
            charts: [Quantity::StreamRms, STATISTICS[0].1].map(|statistic| ChartChoice { statistic, scale: None }),
            relation: Relation::Values,
            along: Along::Block,
            multiples: false,
            projector: false,
            theory: true,
            deepest: 200,
            memory: 512,
            tour: None,
            pins: Vec::new(),
            speed: Speed::One,
            repeat: false,
            language: None,
            theme: None,
            embed: false,
            hide: Vec::new(),
            presets: String::new(),
        }
    }

    /// What the second chart and the atlas show.
    #[must_use]
    pub const fn statistic(&self) -> Quantity {
        self.charts[1].statistic
    }

    /// Scale of a chart's y axis: sizes span decades, what lies between 0 and 1 or changes sign does not; nor does a
    /// difference, and a ratio does. The stream alone stands for itself in the first chart: its root is to be seen.
    #[must_use]
    pub fn scale_of(&self, chart: usize) -> Scale {
        let ChartChoice { statistic, scale } = self.charts[chart];
        match (self.relation, statistic) {
            (Relation::Difference, _) | (Relation::Ratio, Quantity::TokenCosine | Quantity::GradCosine) => {
                Scale::Linear
            }
            (Relation::Ratio, _) => Scale::Log,
            (Relation::Values, Quantity::StreamRms) if chart == 0 => scale.unwrap_or(Scale::Linear),
            (
                Relation::Values,
                Quantity::TokenCosine | Quantity::GradCosine | Quantity::UpdateRatio | Quantity::AttentionEntropy,
            ) => scale.unwrap_or(Scale::Linear),
            (Relation::Values, _) => scale.unwrap_or(Scale::Log),
        }
    }

    /// The gradient that words speak of: the one that is shown, else that of W_2.
    #[must_use]
    pub const fn gradient(&self) -> Quantity {
        match self.statistic() {
            gradient @ (Quantity::GradWeight(_) | Quantity::GradStream) => gradient,
            _ => Quantity::GradWeight(Tensor::W2),
        }
    }

    /// Those of [`Self::configs`] that are not kept yet.
    #[must_use]
    pub fn unpinned(&self) -> Vec<Config> {
        self.configs().into_iter().filter(|config| !self.pins.contains(config)).collect()
    }

    /// Whether a link has room for the models asked for beside those that are kept.
    #[must_use]
    pub fn has_room(&self) -> bool {
        let all: Vec<Config> = self.pins.iter().cloned().chain(self.unpinned()).collect();
        pins::to_text(&all).len() <= MOST_PIN_LETTERS
    }

    /// The same on a page of its own.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self { embed: false, hide: Vec::new(), ..self.clone() }
    }

    /// One configuration for each placement.
    #[must_use]
    pub fn configs(&self) -> Vec<Config> {
        self.placements.iter().map(|&placement| Config { placement, ..self.config.clone() }).collect()
    }
}

impl Request {
    /// Sets one key from text, as a field of a form does. The notices say what had to give way: `heads`, where it does
    /// not divide a new width.
    ///
    /// # Errors
    /// Where the text is no value of that key; the request is then as it was, and the notice says what is allowed.
    pub fn set(&mut self, name: &str, text: &str) -> Result<Vec<Notice>, Notice> {
        let refuse = |allowed: String, used: String| Notice { key: name.into(), given: text.into(), allowed, used };
        let Some(key) = keys().iter().find(|key| key.name == name) else {
            return Err(refuse(String::new(), String::new()));
        };
        let before = self.clone();
        if !(key.set)(self, text) {
            return Err(refuse(key.kind.allowed(), (key.get)(&before)));
        }
        let (width, heads) = (self.config.width, self.config.heads);
        if !self.config.settle_heads() {
            return Ok(Vec::new());
        }
        let allowed = says::divisor(width.to_string());
        let used = self.config.heads.to_string();
        if name == "heads" {
            *self = before;
            return Err(refuse(allowed, (key.get)(self)));
        }
        Ok(vec![Notice { key: "heads".into(), given: heads.to_string(), allowed, used }])
    }
}

/// What was wrong with one key of a query, and what was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The key as given.
    pub key: String,
    /// The value as given.
    pub given: String,
    /// The allowed values in words; empty for an unknown key.
    pub allowed: String,
    /// The value used instead; empty for an unknown key, and for `engine`, whose default is no choice.
    pub used: String,
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { key, given, allowed, used } = self;
        f.write_str(&match (allowed.as_str(), used.as_str()) {
            ("", _) => says::unknown(key),
            (_, "") => says::left_out(key, given, allowed),
            _ => says::replaced(key, given, allowed, used),
        })
    }
}

/// Reads a query, with or without a leading `?`. A bad value becomes its default; every such case is a notice.
#[must_use]
pub fn parse(query: &str, target: Target) -> (Request, Vec<Notice>) {
    let default = Request::default_for(target);
    let mut request = default.clone();
    let mut notices = Vec::new();
    let pairs = query.trim_start_matches('?').split('&').filter(|pair| !pair.is_empty());
    let mut pairs: Vec<_> = pairs
        .map(|pair| {
            let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(text))
        })
        .collect();
    migrate(&mut pairs);
    // What a preset says is what other keys change, wherever it stands.
    if let Some(preset) = pairs.iter().position(|(name, _)| name == "preset") {
        let preset = pairs.remove(preset);
        pairs.insert(0, preset);
    }
    for (name, text) in pairs {
        let Some(key) = keys().iter().find(|key| key.name == name) else {
            notices.push(Notice { key: name, given: text, allowed: String::new(), used: String::new() });
            continue;
        };
        let one_only = target == Target::CommandLine && name == "placement" && text.contains(',');
        if text.is_empty() || one_only || !(key.set)(&mut request, &text) {
            let used = (key.get)(&default);
            (key.set)(&mut request, &used);
            let allowed = match (key.kind, target, key.name) {
                (Kind::List(words), Target::CommandLine, "placement") => Kind::Choice(words).allowed(),
                (kind, ..) => kind.allowed(),
            };
            notices.push(Notice { key: name, given: text, allowed, used });
        }
    }
    let (width, heads) = (request.config.width, request.config.heads);
    if request.config.settle_heads() {
        notices.push(Notice {
            key: "heads".into(),
            given: heads.to_string(),
            allowed: says::divisor(width.to_string()),
            used: request.config.heads.to_string(),
        });
    }
    if target == Target::CommandLine {
        // A preset may have several.
        request.placements.truncate(1);
    }
    request.config.placement = request.placements[0];
    (request, notices)
}

/// Keys by the version before which they had another name.
const RENAMED: &[(u32, &str, &str)] = &[(1, "stream_scale", "first_scale")];

/// Makes what was written for an older version what it is now. Links without a version are from before the first.
fn migrate(pairs: &mut [(String, String)]) {
    let version = pairs.iter().find(|(name, _)| name == "v").map_or(0, |(_, text)| text.parse().unwrap_or(VERSION));
    for (before, old, new) in RENAMED {
        for (name, _) in pairs.iter_mut().filter(|(name, _)| version < *before && name == old) {
            (*new).clone_into(name);
        }
    }
}

/// The query of a request, defaults left out; empty where all is default. That of a page begins with the version and has
/// no more than [`LONGEST`](super::LONGEST) characters.
#[must_use]
pub fn to_query(request: &Request, target: Target) -> String {
    let default = Request::default_for(target);
    let pairs = keys().iter().filter_map(|key| {
        let value = (key.get)(request);
        (value != (key.get)(&default)).then(|| format!("{}={}", key.name, encode(&value)))
    });
    let query = pairs.collect::<Vec<_>>().join("&");
    if query.is_empty() || target == Target::CommandLine { query } else { format!("v={VERSION}&{query}") }
}

/// Percent-encoding of what would end a value, and of what is not to stand in an address; values of most keys have neither.
pub(super) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~,:;/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

/// Percent-decoding with `+` as a space; what is malformed stays as it is.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let digits = text.get(i + 1..i + 3).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let hex = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (bytes[i], hex) {
            (b'%', Some(byte)) => {
                out.push(byte);
                i += 3;
                continue;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        i += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

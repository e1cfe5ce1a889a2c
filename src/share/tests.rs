use std::collections::BTreeMap;

use super::keys::{LONGEST_ADDRESS, STATISTICS, fraction};
use super::{Kind, LONGEST, MOST_PIN_LETTERS, Notice, Request, Scale, Target, keys, parse, to_query};
use crate::model::random::Stream;
use crate::model::{Config, Placement, Tensor, Toggle};
use crate::presets;
use crate::stats::{Engine, Quantity};

const TARGETS: [Target; 2] = [Target::Page, Target::CommandLine];

/// Values a key takes: all words, the ends of a range and some of what lies between.
fn good_values(kind: Kind) -> Vec<String> {
    match kind {
        Kind::Choice(words) => words.iter().map(ToString::to_string).collect(),
        Kind::List(words) => words.iter().map(ToString::to_string).chain([words.join(",")]).collect(),
        Kind::Integer(low, high) => {
            [low, low + 1, low + (high - low) / 3, high - 1, high].iter().map(ToString::to_string).collect()
        }
        Kind::Address => ["presets.json", "/a/b.json?c=1&d=2#e", "https://example.org/a%20b"].map(Into::into).into(),
        Kind::Models(_) => {
            let models =
                ["post", "pre;depth:96", "post;depth:200;init:he~pre;norm:rmsnorm~keel;cross:1;memory_cos:0.25"];
            models.map(Into::into).into()
        }
        Kind::Fraction(low, high) => {
            [low, low + 1, 70, high].iter().map(|value| (f64::from(*value) / 100.0).to_string()).collect()
        }
    }
}

fn bad_values(kind: Kind) -> Vec<String> {
    let mut values: Vec<String> =
        ["", " ", "x", "-1", "1 ", " 1", "+1", "0x10", "1,5", "nan", "inf", "-0.5", "1e99", "é", "٣", "99999999999"]
            .map(Into::into)
            .into();
    match kind {
        Kind::Choice(words) | Kind::List(words) => {
            values.extend(words.iter().flat_map(|word| [format!("{word}x"), format!("{word},"), format!(" {word}")]));
        }
        Kind::Integer(low, high) => {
            values.extend(["1.0".into(), "1e1".into(), (u64::from(high) + 1).to_string()]);
            values.extend(low.checked_sub(1).map(|value| value.to_string()));
        }
        Kind::Address => {
            let long = format!("https://example.org/{}", "é%".repeat(40));
            let bad = [" ", "a b", "http://example.org", "javascript:alert(1)", "data:,x", "a\"b", "é", &long];
            values = bad.map(Into::into).into();
        }
        Kind::Models(most) => {
            let bad = [
                "post;",
                "post~",
                "~",
                "post;depth",
                "post;depth:0",
                "post;width:63",
                "post;view:atlas",
                "post;pin:pre",
            ];
            values.extend(bad.map(Into::into));
            values.push((1..=most + 1).map(|depth| format!("post;depth:{depth}")).collect::<Vec<_>>().join("~"));
        }
        Kind::Fraction(..) => {
            let more =
                ["1.0000001", "-1e-9", "1e-3", "-0.5", "0.5.5", ".", "0.1234567890123456", "123456789012345678901"];
            values.extend(more.map(Into::into));
        }
    }
    values
}

/// What a browser makes of a value.
fn encode(text: &str) -> String {
    let byte = |byte: u8| {
        if byte.is_ascii_alphanumeric() || b"-._,".contains(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    text.bytes().map(byte).collect()
}

#[test]
fn nothing_asks_for_the_default() {
    for target in TARGETS {
        for empty in ["", "?", "&", "&&"] {
            assert_eq!(parse(empty, target), (Request::default_for(target), vec![]));
        }
        assert_eq!(to_query(&Request::default_for(target), target), "");
    }
    let page = Request::default_for(Target::Page);
    assert_eq!(page.placements, [Placement::Post, Placement::Pre]);
    assert_eq!(page.statistic(), Quantity::GradWeight(Tensor::W2));
    let command_line = Request::default_for(Target::CommandLine);
    assert_eq!((&command_line.placements[..], &command_line.config), (&[Placement::Pre][..], &Config::default()));
}

#[test]
fn every_key_goes_round() {
    for target in TARGETS {
        for key in keys() {
            for value in good_values(key.kind) {
                if target == Target::CommandLine && key.name == "placement" && value.contains(',') {
                    continue;
                }
                // So that no head count clashes with a width.
                let heads = if matches!(key.name, "width" | "heads") { "&heads=1" } else { "" };
                let query = format!("{}={}{heads}", key.name, encode(&value));
                let (request, notices) = parse(&query, target);
                assert_eq!(notices, [], "{query}");
                if key.name == "preset" {
                    let said = parse(presets::find(&value).expect("one of them").query, Target::Page).0;
                    assert_eq!(request.config, said.config, "{query}");
                } else if key.name != "heads" {
                    assert_eq!((key.get)(&request), value, "{query}");
                }
                let (again, notices) = parse(&to_query(&request, target), target);
                assert_eq!((&again, &notices[..]), (&request, &[][..]), "{query} as {}", to_query(&request, target));
            }
        }
    }
}

#[test]
fn random_requests_go_round() {
    for number in 0..2000 {
        let mut words = Stream { tensor: 2000, layer: number, seed: 0 }.classes(4 * keys().len(), u32::MAX).into_iter();
        let mut next = |below: u32| words.next().expect("enough words") % below;
        let mut request = Request::default_for(Target::Page);
        for key in keys() {
            if next(2) == 0 {
                continue;
            }
            let value = match key.kind {
                Kind::Choice(words) => words[next(words.len() as u32) as usize].to_owned(),
                Kind::List(words) => {
                    let first = next(words.len() as u32) as usize;
                    let second = next(words.len() as u32) as usize;
                    if first == second { words[first].into() } else { format!("{},{}", words[first], words[second]) }
                }
                Kind::Integer(low, high) => (low + next((high - low).saturating_add(1))).to_string(),
                Kind::Fraction(low, high) => (f64::from(low + next(high - low + 1)) / 100.0).to_string(),
                Kind::Address => format!("https://example.org/{}&=#?presets.json", next(99)),
                Kind::Models(most) => {
                    let count = 1 + next(most as u32);
                    let text = |index: u32| {
                        let placement = Placement::ALL[next(Placement::ALL.len() as u32) as usize].key();
                        // 24 blocks are the page's own, and not written.
                        format!("{placement};depth:{}{}", 25 + 20 * index, ["", ";init:he"][next(2) as usize])
                    };
                    (0..count).map(text).collect::<Vec<_>>().join("~")
                }
            };
            assert!((key.set)(&mut request, &value), "{}={value}", key.name);
        }
        request.config.placement = request.placements[0];
        request.config.settle_heads();
        let query = to_query(&request, Target::Page);
        assert!(query.is_empty() || query.starts_with("v=1&"), "{query}");
        assert!(query.len() <= LONGEST, "{query}");
        assert_eq!(parse(&query, Target::Page), (request.clone(), vec![]), "{query}");
        assert_eq!(parse(&format!("?{query}"), Target::Page).0, request, "{query}");
    }
}

#[test]
fn fractions_are_right_to_the_last_bit() {
    for text in ["0", "1", "1.0", "00.70", "1.", ".5", "0.999999999999999", "0.000000000000001", "1.000000000000000"] {
        assert_eq!(fraction(text), text.parse().ok(), "{text}");
    }
    let mut random = 1_u64;
    for _ in 0..100_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let decimals = 1 + (random >> 33) as usize % 15;
        let text = format!("0.{:0decimals$}", (random >> 8) % 10_u64.pow(decimals as u32));
        assert_eq!(fraction(&text), text.parse().ok(), "{text}");
    }
}

#[test]
fn a_bad_value_becomes_its_default_and_a_notice() {
    for target in TARGETS {
        let default = Request::default_for(target);
        // A preset is many keys, and stays where a second one is bad.
        for key in keys().iter().filter(|key| key.name != "preset") {
            for value in bad_values(key.kind) {
                if key.kind == Kind::Choice(&["0", "1"]) && value == "1" {
                    continue;
                }
                // A good value before the bad one is no refuge, and one of another key after it stays.
                let good = &good_values(key.kind)[0];
                let query = format!("{}={}&{}={}&seed=17", key.name, encode(good), key.name, encode(&value));
                let (request, notices) = parse(&query, target);
                let mut expected = default.clone();
                expected.config.seed = 17;
                assert_eq!(request, expected, "{query}");
                let [notice] = &notices[..] else { panic!("{query}: {notices:?}") };
                assert_eq!((&notice.key[..], &notice.given), (key.name, &value));
                assert_eq!(notice.used, (key.get)(&default), "{query}");
                let list_for_one = target == Target::CommandLine && key.name == "placement";
                assert!(list_for_one || notice.allowed == key.kind.allowed(), "{query}: {}", notice.allowed);
                assert!(notice.to_string().starts_with(&format!("{}: “{value}” is not allowed", key.name)));
            }
        }
    }
}

#[test]
fn unknown_keys_are_named_and_left_out() {
    let (request, notices) = parse("depht=12&depth=12&=3&lr", Target::Page);
    assert_eq!(request.config.depth, 12);
    let named: Vec<&str> = notices.iter().map(|notice| &notice.key[..]).collect();
    assert_eq!(named, ["depht", "", "lr"]);
    assert_eq!(notices[0].to_string(), "depht: no such key; it was left out");
    // Keys are told apart by their case.
    assert_eq!(parse("Depth=12", Target::Page).1.len(), 1);
}

#[test]
fn heads_give_way_to_the_width() {
    for (query, heads) in [
        ("width=100&heads=16", Some(4)),
        ("heads=16&width=100", Some(4)),
        ("width=99", Some(3)),
        ("width=98&heads=3", Some(2)),
        ("width=97", Some(1)),
        ("width=96&heads=12", None),
        ("width=17&heads=1", None),
    ] {
        let (request, notices) = parse(query, Target::Page);
        assert_eq!(notices.len(), usize::from(heads.is_some()), "{query}: {notices:?}");
        if let (Some(heads), [notice]) = (heads, &notices[..]) {
            assert_eq!(request.config.heads, heads, "{query}");
            assert_eq!((&notice.key[..], &notice.used), ("heads", &heads.to_string()), "{query}");
            assert!(notice.allowed.contains(&request.config.width.to_string()), "{query}: {notice}");
        }
        assert_eq!(request.config.width % request.config.heads, 0, "{query}");
    }
}

#[test]
fn the_command_line_takes_one_placement() {
    let (request, notices) = parse("placement=post,pre", Target::CommandLine);
    assert_eq!(request.placements, [Placement::Pre]);
    assert_eq!((notices.len(), &notices[0].key[..], &notices[0].used[..]), (1, "placement", "pre"));
    assert!(!notices[0].allowed.contains("one or more"), "{}", notices[0]);
    let (request, notices) = parse("placement=deepnorm", Target::CommandLine);
    assert_eq!((request.config.placement, notices), (Placement::DeepNorm, vec![]));
}

#[test]
fn a_list_keeps_its_order_and_drops_what_repeats() {
    let (request, notices) = parse("placement=none,post,none", Target::Page);
    assert_eq!((&request.placements[..], notices), (&[Placement::None, Placement::Post][..], vec![]));
    assert_eq!(request.config.placement, Placement::None);
    assert_eq!(to_query(&request, Target::Page), "v=1&placement=none,post");
    let each: Vec<Placement> = request.configs().iter().map(|config| config.placement).collect();
    assert_eq!(each, request.placements);
}

#[test]
fn percent_and_plus_are_decoded() {
    let (request, notices) = parse("placement=post%2Cperi&depth=%31%32&causal=%31", Target::Page);
    assert_eq!(notices, []);
    assert_eq!(request.placements, [Placement::Post, Placement::Peri]);
    assert_eq!((request.config.depth, request.config.causal), (12, Toggle(true)));
    for (text, given) in
        [("%zz", "%zz"), ("%4", "%4"), ("%", "%"), ("%+1", "% 1"), ("%C3%A9", "é"), ("%é", "%é"), ("%FF", "\u{fffd}")]
    {
        let (_, notices) = parse(&format!("depth={text}"), Target::Page);
        let [Notice { given: found, .. }] = &notices[..] else { panic!("{text}: {notices:?}") };
        assert_eq!(found, given);
    }
}

#[test]
fn what_the_page_alone_shows_goes_round() {
    let query = "v=1&engine=reference&statistic=grad_stream&first_scale=log&statistic_scale=linear";
    let (request, notices) = parse(query, Target::Page);
    assert_eq!(notices, []);
    assert_eq!((request.engine, request.statistic()), (Some(Engine::Reference), Quantity::GradStream));
    assert_eq!(request.charts.map(|chart| chart.scale), [Some(Scale::Log), Some(Scale::Linear)]);
    assert_eq!(to_query(&request, Target::Page), query);
}

#[test]
fn the_table_is_sound() {
    let mut names: Vec<&str> = keys().iter().map(|key| key.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), keys().len());
    for key in keys() {
        assert!(!key.help().is_empty() && !key.kind.allowed().is_empty(), "{}", key.name);
        let mut request = Request::default_for(Target::Page);
        assert!((key.set)(&mut request, &(key.get)(&Request::default_for(Target::Page))), "{}", key.name);
        assert_eq!(request, Request::default_for(Target::Page), "{}", key.name);
    }
}

#[test]
fn a_field_sets_one_key() {
    let mut request = Request::default_for(Target::Page);
    assert_eq!(request.set("norm", "rmsnorm"), Ok(Vec::new()));
    assert_eq!(request.set("tokens", "48"), Ok(Vec::new()));
    assert_eq!(to_query(&request, Target::Page), "v=1&tokens=48&norm=rmsnorm");
}

#[test]
fn a_field_with_a_bad_value_changes_nothing() {
    let mut request = Request::default_for(Target::Page);
    for (name, text) in [("width", "5000"), ("width", "wide"), ("heads", "5"), ("norm", "batchnorm"), ("colour", "red")]
    {
        let before = request.clone();
        let notice = request.set(name, text).expect_err(name);
        assert_eq!((notice.key.as_str(), notice.given.as_str()), (name, text));
        assert_eq!(request, before, "{name}={text}");
    }
    let notice = request.set("heads", "5").expect_err("heads");
    assert_eq!((notice.allowed.as_str(), notice.used.as_str()), ("a divisor of width, which is 64", "4"));
}

#[test]
fn heads_give_way_to_a_new_width() {
    let mut request = Request::default_for(Target::Page);
    let notices = request.set("width", "66").expect("66 is allowed");
    assert_eq!(request.config.heads, 3);
    assert_eq!((notices.len(), notices[0].key.as_str(), notices[0].used.as_str()), (1, "heads", "3"));
}

#[test]
fn no_link_is_longer_than_programs_take() {
    // The longest value of every key at once, whether one model can have them or not.
    let longest = |kind: Kind| match kind {
        Kind::Choice(words) => words.iter().map(|word| word.len()).max().unwrap_or(0),
        Kind::List(words) => words.join(",").len(),
        Kind::Integer(_, high) => high.to_string().len(),
        Kind::Fraction(..) => "0.123456789012345".len(),
        Kind::Address => 200,
        Kind::Models(_) => MOST_PIN_LETTERS,
    };
    let not_written = |name: &&super::Key| name.name != "preset";
    let sum: usize = keys().iter().filter(not_written).map(|key| key.name.len() + 2 + longest(key.kind)).sum();
    assert!(sum <= LONGEST + 300, "{sum}");
    let (mut request, mut query) = (Request::default_for(Target::Page), String::new());
    for key in keys().iter().filter(not_written) {
        let long = match key.kind {
            Kind::Address => format!("https://example.org/{}", "a".repeat(180)),
            Kind::Fraction(..) => "0.123456789012345".into(),
            Kind::Models(most) => {
                let model = |seed: usize| {
                    format!(
                        "post;depth:200;width:1024;norm:rmsnorm;act:swiglu;init:xavier-uniform;causal:1;seed:{}",
                        4_000_000_000 + seed
                    )
                };
                (0..most).map(model).collect::<Vec<_>>().join("~")
            }
            kind => good_values(kind).into_iter().max_by_key(String::len).unwrap_or_default(),
        };
        let changes = (key.set)(&mut request, &long);
        assert!(changes, "{}={long}", key.name);
        query = to_query(&request, Target::Page);
    }
    assert!((1200..=LONGEST).contains(&query.len()), "{}: {query}", query.len());
}

#[test]
fn pins_past_the_length_of_a_link_are_refused() {
    let model = |seed: usize| {
        format!(
            "deepnorm;depth:200;width:1024;heads:16;tokens:256;batch:8;vocab:1024;norm:rmsnorm;act:swiglu;\
             init:xavier-uniform;residual_scale:gpt2;qk_norm:full;causal:1;attention:uniform;output_projection:0;cross:1;\
             seed:{}",
            4_000_000_000 + seed
        )
    };
    let pins = |count| format!("pin={}", (0..count).map(model).collect::<Vec<_>>().join("~"));
    assert_eq!(parse(&pins(3), Target::Page).1, []);
    assert_eq!(parse(&pins(6), Target::Page).1.len(), 1);
}

/// Links that have been given away, with what each has to show for ever.
const GOLDEN: &[(&str, &str)] = &[
    // Before the first version: no `v`, and a scale by another name.
    ("placement=pre&depth=200&stream_scale=log", "v=1&placement=pre&depth=200&first_scale=log"),
    ("placement=post,pre&depth=96&statistic=grad_stream", "v=1&placement=post,pre&depth=96&statistic=grad_stream"),
    ("view=claims&claim=17&guide=a", "v=1&view=claims&claim=17&guide=a"),
    ("pin=post;depth:96;init:he~pre&depth=48", "v=1&depth=48&pin=post;depth:96;init:he~pre"),
    ("tour=3&lang=de", "v=1&tour=3&lang=de"),
    // The first.
    ("v=1&placement=sandwich&first_scale=log&seeds=4", "v=1&placement=sandwich&seeds=4&first_scale=log"),
    ("v=1&embed=1&hide=status,theory&theme=dark&depth=48", "v=1&depth=48&theme=dark&embed=1&hide=status,theory"),
    ("v=1&preset=gpt-2&depth=12", "v=1&placement=pre&depth=12&act=gelu&init=normal-0.02&residual_scale=gpt2&causal=1"),
    ("depth=12&preset=gpt-2", "v=1&placement=pre&depth=12&act=gelu&init=normal-0.02&residual_scale=gpt2&causal=1"),
    ("v=1&presets=course.json&relation=ratio", "v=1&presets=course.json&relation=ratio"),
];

#[test]
fn links_keep_working() {
    for (link, shows) in GOLDEN {
        let (request, notices) = parse(link, Target::Page);
        assert_eq!(notices, [], "{link}");
        assert_eq!(
            &to_query(&request, Target::Page).replace("placement=post,pre&", ""),
            &shows.replace("placement=post,pre&", ""),
            "{link}"
        );
    }
    // What a version no longer knows is not taken for something else, and a version to come is named.
    assert_eq!(parse("v=1&stream_scale=log", Target::Page).1[0].key, "stream_scale");
    let (request, notices) = parse("v=2&depth=12", Target::Page);
    assert_eq!((request.config.depth, &notices[0].key[..], notices.len()), (12, "v", 1));
}

#[test]
fn hostile_queries_are_taken_or_named() {
    let good: Vec<&str> = GOLDEN.iter().map(|(link, _)| *link).collect();
    let mut words = Stream { tensor: 2001, layer: 0, seed: 0 }.classes(400_000, u32::MAX).into_iter();
    let mut next = |below: usize| words.next().expect("enough words") as usize % below;
    let pieces = [
        "%",
        "%C3",
        "&",
        "=",
        "?",
        "#",
        "v=",
        "\0",
        "é",
        "\u{202e}",
        "pin=",
        "~",
        ";",
        ":",
        ",",
        "9".repeat(400).leak(),
        "preset=",
        "-",
        "depth=NaN",
        "hide=,",
        "../",
        "<script>",
    ];
    for _ in 0..10_000 {
        let mut query = good[next(good.len())].to_owned();
        for _ in 0..=next(4) {
            match next(3) {
                0 => query = query.chars().take(next(query.chars().count() + 1)).collect(),
                1 => {
                    let at = query
                        .char_indices()
                        .map(|(at, _)| at)
                        .nth(next(query.chars().count() + 1))
                        .unwrap_or(query.len());
                    query.insert_str(at, pieces[next(pieces.len())]);
                }
                _ => query.push_str(pieces[next(pieces.len())]),
            }
        }
        for target in TARGETS {
            let (request, notices) = parse(&query, target);
            // What was understood is a state of the page: its own link shows the same, without a word.
            let again = to_query(&request, target);
            assert_eq!(parse(&again, target), (request, vec![]), "{query:?} as {again:?}");
            assert!(again.len() <= LONGEST, "{again}");
            assert!(notices.iter().all(|notice| !notice.to_string().is_empty()));
        }
    }
}

/// Every key, preset and statistic as the scripts around the page read them, which have the words for them from the texts;
/// `NORMSCOPE_BLESS=1` writes the file anew.
#[test]
fn the_file_of_keys_is_the_table() {
    let default = Request::default_for(Target::Page);
    let of = |key: &super::Key| {
        let mut out = serde_json::json!({ "name": key.name, "default": (key.get)(&default) });
        let (kind, takes) = match key.kind {
            Kind::Integer(low, high) => ("integer", [low, high].into()),
            Kind::Fraction(low, high) => {
                ("fraction", [low, high].map(|hundredths| f64::from(hundredths) / 100.0).to_vec().into())
            }
            Kind::Choice(words) => ("choice", words.into()),
            Kind::List(words) => ("list", words.into()),
            Kind::Models(most) => ("models", most.into()),
            Kind::Address => ("address", LONGEST_ADDRESS.into()),
        };
        out[kind] = takes;
        out
    };
    let preset =
        |preset: &presets::Preset| serde_json::json!({ "key": preset.key, "name": preset.name, "query": preset.query });
    let first_block = |(word, quantity): &(&'static str, Quantity)| (*word, quantity.first_block());
    let all = serde_json::json!({
        "keys": keys().iter().map(of).collect::<Vec<_>>(),
        "presets": presets::ALL.iter().map(preset).collect::<Vec<_>>(),
        "first_blocks": STATISTICS.iter().map(first_block).collect::<BTreeMap<_, _>>(),
    });
    let text = format!("{}\n", serde_json::to_string_pretty(&all).expect("strings"));
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/web/keys.json");
    if std::env::var_os("NORMSCOPE_BLESS").is_some() {
        std::fs::write(file, &text).expect("the file can be written");
    }
    assert_eq!(std::fs::read_to_string(file).expect("web/keys.json is there"), text);
}

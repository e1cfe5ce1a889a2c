//! The claims: that the list is sound, and that every rule finds on the float64 engine what the literature has.

#![allow(clippy::print_stdout, reason = "what each rule finds, for those who ask with --nocapture")]

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::time::Instant;

use normscope::claims::{self, Claim, Evidence, Rule, SourceId, Test, Verdict, VerdictKind};
use normscope::model::Config;
use normscope::share::{self, Target};
use normscope::stats::{Measurement, ModelUpdate};
use normscope::{presets, reference};

const NEEDS_TRAINING: [&str; 6] = ["C4", "C12", "C38", "C56", "C73", "C83"];

fn rule(claim: &Claim) -> Option<Rule> {
    if let Test::Measured(rule) = claim.test { Some(rule) } else { None }
}

fn measured() -> impl Iterator<Item = (&'static Claim, Rule)> {
    claims::ALL.iter().filter_map(|claim| rule(claim).map(|rule| (claim, rule)))
}

#[test]
fn there_are_ninety_and_each_has_its_number() {
    for (number, claim) in (1..).zip(&claims::ALL) {
        assert_eq!(claim.id, format!("C{number}"));
        assert_eq!(claims::find(claim.id).map(|found| found.id), Some(claim.id));
    }
    assert!(claims::find("C91").is_none());
}

#[test]
fn every_claim_says_what_it_rests_on() {
    for claim in &claims::ALL {
        let id = claim.id;
        let literature = claim.literature();
        let condition = match literature {
            Verdict::OnlyIf(condition) | Verdict::InPart(condition) => Some(condition),
            _ => None,
        };
        for text in [claim.said(), claim.source_says(), claim.place()].into_iter().chain(condition) {
            assert!(!text.is_empty() && text.trim() == text && !text.contains("  "), "{id}: {text:?}");
        }
        if literature != Verdict::NoSource {
            assert!(!claim.sources.is_empty(), "{id}: a verdict without a source");
        }
        assert_ne!(literature, Verdict::NotDecided, "{id}");
        assert_eq!(literature.kind(), claim.verdict, "{id}");
        let trains = matches!(claim.test, Test::NeedsTraining);
        assert_eq!(trains, NEEDS_TRAINING.contains(&id), "{id}");
        if rule(claim).is_some() {
            assert!(claim.explore.is_some(), "{id} can be measured and has no place in Explore");
        }
    }
}

#[test]
fn every_source_is_cited_and_has_its_particulars() {
    let cited: HashSet<SourceId> = claims::ALL.iter().flat_map(|claim| claim.sources).map(|cite| cite.source).collect();
    for id in SourceId::ALL {
        let source = id.source();
        assert!(cited.contains(id), "{id:?} is cited nowhere");
        assert!(!source.title.is_empty() && !source.authors.is_empty(), "{id:?}");
        if let Some(arxiv) = source.arxiv {
            let (month, number) = arxiv.split_once('.').expect("a number of arXiv");
            let digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
            assert!(digits(month, 4) && (digits(number, 4) || digits(number, 5)), "{id:?}: {arxiv}");
            // Numbers begin with year and month of the first version.
            assert_eq!(format!("20{}", &month[..2]), source.year.to_string(), "{id:?}");
        }
    }
}

#[test]
fn every_query_can_be_read() {
    let of_claims = claims::ALL.iter().filter_map(|claim| Some((claim.id, claim.explore?)));
    let of_presets = presets::ALL.iter().map(|preset| (preset.key, preset.query));
    for (name, query) in of_claims.chain(of_presets) {
        let (request, notices) = share::parse(query, Target::Page);
        assert!(notices.is_empty(), "{name}: {notices:?}");
        assert!(share::parse(&share::to_query(&request, Target::Page), Target::Page).0 == request, "{name}");
    }
}

#[test]
fn presets_are_told_apart() {
    let mut seen = HashSet::new();
    for preset in presets::ALL {
        assert!(seen.insert(preset.key) && seen.insert(preset.title()) && seen.insert(preset.query), "{}", preset.key);
        assert_eq!(presets::find(preset.key), Some(preset));
        for text in [preset.sentence(), preset.source(), preset.left_out()] {
            assert!(!text.is_empty() && !text.contains("  "), "{}: {text:?}", preset.key);
        }
    }
}

fn name(config: &Config) -> String {
    format!("{config:?}")
}

/// The answers of `work` to all distinct configurations, by their names, from as many threads as the machine runs.
fn all_of<T: Send>(configs: Vec<Config>, work: impl Fn(&Config) -> T + Sync) -> BTreeMap<String, T> {
    let mut waiting: Vec<Config> =
        configs.into_iter().map(|config| (name(&config), config)).collect::<BTreeMap<_, _>>().into_values().collect();
    // The longest come last here, and so are taken first.
    waiting.sort_by_key(|config| config.depth * config.width * config.width);
    let (waiting, done) = (Mutex::new(waiting), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(|| {
                loop {
                    let Some(config) = waiting.lock().expect("no thread panics").pop() else { return };
                    let answer = work(&config);
                    done.lock().expect("no thread panics").insert(name(&config), answer);
                }
            });
        }
    });
    done.into_inner().expect("no thread panics")
}

/// Whether a rule's verdict is what the literature has. What holds under a condition or in part is put into words by
/// each in its own way. What nobody else says (C27) is not found either.
fn agrees(literature: VerdictKind, found: VerdictKind) -> bool {
    let half = |verdict| matches!(verdict, VerdictKind::OnlyIf | VerdictKind::InPart);
    match literature {
        VerdictKind::NoSource => found == VerdictKind::DoesNotHold,
        _ => literature == found || (half(literature) && half(found)),
    }
}

#[test]
fn rules_find_what_the_literature_has() {
    let start = Instant::now();
    let questions: Vec<_> = measured().map(|(claim, rule)| (claim, rule, (rule.question)())).collect();
    let ask = |of: fn(&claims::Question) -> &Vec<Config>| {
        questions.iter().flat_map(|(.., question)| of(question).clone()).collect::<Vec<_>>()
    };
    let updates: BTreeMap<String, ModelUpdate> = all_of(ask(|question| &question.updates), reference::model_update);
    println!("updates: {:.1} s", start.elapsed().as_secs_f64());
    let passes: BTreeMap<String, Measurement> = all_of(ask(|question| &question.passes), reference::measure);
    println!("{} passes: {:.1} s", passes.len(), start.elapsed().as_secs_f64());
    let mut wrong = Vec::new();
    for (claim, rule, question) in &questions {
        let evidence: Evidence =
            question.answer(|config| passes[&name(config)].clone(), |config| updates[&name(config)]);
        let outcome = (rule.judge)(&evidence);
        println!("{}: {}\n  {}\n  {}", claim.id, outcome.verdict, outcome.measured, outcome.sentence);
        if !agrees(claim.verdict, outcome.verdict.kind()) {
            wrong.push(format!("{}: {} and not {}", claim.id, outcome.verdict, claim.literature()));
        }
        assert!(!outcome.measured.is_empty() && !outcome.sentence.is_empty(), "{}", claim.id);
        assert!(!outcome.measured.contains("not a number"), "{}: {}", claim.id, outcome.measured);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

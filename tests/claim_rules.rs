//! Every rule on doctored evidence: the verdict follows the values, whichever way they point.

use std::collections::HashMap;

use VerdictKind::{DoesNotHold, Holds, InPart, NotDecided, OnlyIf};
use normscope::claims::{self, Evidence, Model, Question, Test, VerdictKind};
use normscope::model::{Config, Init, Placement, QkNorm, ResidualScale, Sublayer, Tensor};
use normscope::stats::{Engine, Measurement, ModelUpdate, Quantity, Series};

const W2: Quantity = Quantity::GradWeight(Tensor::W2);

/// A world in which models measure what one likes.
#[derive(Clone, Copy)]
struct World {
    /// The value of a quantity at an index.
    value: fn(&Config, Quantity, usize) -> f64,
    /// What a step of gradient descent does.
    sgd: fn(&Config) -> f64,
    /// What becomes of a description.
    model: fn(&mut Model),
}

/// All is 1 and models are as they are.
const FLAT: World = World { value: |_, _, _| 1.0, sgd: |_| 1.0, model: |_| {} };

const fn values(value: fn(&Config, Quantity, usize) -> f64) -> World {
    World { value, ..FLAT }
}

const fn models(model: fn(&mut Model)) -> World {
    World { model, ..FLAT }
}

impl World {
    fn answer(&self, question: &Question) -> Evidence {
        let measure = |config: &Config| {
            let series = Quantity::all(config).into_iter().map(|quantity| {
                let values = (0..quantity.len(config)).map(|index| (self.value)(config, quantity, index));
                Series::exact(quantity, values.collect())
            });
            Measurement { config: config.clone(), engine: Engine::Reference, series: series.collect() }
        };
        let update =
            |config: &Config| ModelUpdate { sgd: (self.sgd)(config), sign: 1.0, sgd_mark: None, sign_mark: None };
        let mut evidence = question.answer(measure, update);
        evidence.models.iter_mut().for_each(self.model);
        evidence
    }
}

fn depth(config: &Config) -> f64 {
    f64::from(config.depth)
}

/// Grows as the square root of the block.
fn root(index: usize) -> f64 {
    (1.0 + index as f64).sqrt()
}

/// The gradient of W_2 halves every two blocks on its way down, and so does that of the stream.
fn vanishing(config: &Config, quantity: Quantity, index: usize) -> f64 {
    if matches!(quantity, W2 | Quantity::GradStream) { (0.5 * (index as f64 - depth(config))).exp2() } else { 1.0 }
}

fn flip_norms(model: &mut Model) {
    for sublayer in &mut model.sublayers {
        (sublayer.input_norm, sublayer.sum_norm) = (sublayer.sum_norm, sublayer.input_norm);
    }
}

/// For each claim that is measured, worlds and what the rule has to find there.
fn cases() -> Vec<(&'static str, VerdictKind, World)> {
    let of_post = [
        ("C7", DoesNotHold, FLAT),
        ("C7", Holds, values(|config, _, _| depth(config))),
        ("C17", DoesNotHold, FLAT),
        ("C17", Holds, values(|config, _, index| if index == 0 { (depth(config) / 2.0).exp2() } else { 1.0 })),
        ("C18", InPart, values(|config, _, _| f64::from(config.width).sqrt())),
        ("C18", Holds, values(|config, _, _| f64::from(config.width) * f64::from(config.width).ln().sqrt())),
        ("C18", DoesNotHold, values(|config, _, _| depth(config))),
        ("C19", DoesNotHold, FLAT),
        ("C19", Holds, values(|config, _, _| depth(config).sqrt())),
        ("C20", DoesNotHold, FLAT),
        (
            "C20",
            Holds,
            values(|config, quantity, index| match quantity {
                Quantity::GradStream if index == 0 => (depth(config) / 2.0).exp2(),
                W2 if index + 1 < config.depth as usize => depth(config).sqrt(),
                _ => 1.0,
            }),
        ),
        ("C72", DoesNotHold, FLAT),
        ("C72", Holds, values(|_, _, _| 1.6)),
        ("C13", Holds, FLAT),
        ("C13", DoesNotHold, values(|_, _, index| root(index))),
        ("C63", Holds, FLAT),
        ("C63", DoesNotHold, values(|_, _, index| root(index))),
        ("C8", DoesNotHold, FLAT),
        ("C8", InPart, World { sgd: |config| depth(config).powi(2), ..FLAT }),
        ("C8", Holds, World { sgd: |config| depth(config).powi(2), value: |config, _, _| depth(config), ..FLAT }),
    ];
    let of_cross = [
        // Where any cross-attention has it, collapse is not what matters, and no condition is told.
        ("C61", NotDecided, values(|config, q, i| if config.cross.0 { vanishing(config, q, i) } else { 1.0 })),
        ("C61", DoesNotHold, FLAT),
        ("C61", OnlyIf, values(|config, q, i| if is_collapsed(config) { vanishing(config, q, i) } else { 1.0 })),
        ("C61", Holds, values(vanishing)),
        ("C66", DoesNotHold, FLAT),
        ("C66", OnlyIf, values(|config, q, i| if is_collapsed(config) { vanishing(config, q, i) } else { 1.0 })),
        ("C66", Holds, values(vanishing)),
        ("C69", DoesNotHold, FLAT),
        ("C69", OnlyIf, values(|config, q, i| if is_collapsed(config) { vanishing(config, q, i) } else { 1.0 })),
        ("C69", Holds, values(vanishing)),
        ("C68", DoesNotHold, FLAT),
        ("C68", Holds, values(|config, _, _| depth(config).sqrt().recip())),
        ("C70", DoesNotHold, FLAT),
        ("C70", OnlyIf, values(|config, q, i| if is_collapsed(config) { vanishing(config, q, i) } else { 1.0 })),
        ("C70", Holds, values(vanishing)),
    ];
    let of_pre = [
        ("C24", Holds, FLAT),
        ("C24", InPart, values(|config, _, index| if index == 0 { depth(config).sqrt() } else { 1.0 })),
        ("C24", DoesNotHold, values(vanishing)),
        ("C25", DoesNotHold, FLAT),
        ("C25", Holds, values(|config, _, _| depth(config).sqrt().recip())),
        ("C25", InPart, values(|config, _, index| if index == 0 { 1.0 } else { depth(config).sqrt().recip() })),
        ("C27", DoesNotHold, World { sgd: depth, ..FLAT }),
        ("C27", Holds, World { sgd: |config| depth(config).recip(), ..FLAT }),
        ("C45", Holds, FLAT),
        ("C45", DoesNotHold, values(vanishing)),
        ("C49", DoesNotHold, FLAT),
        (
            "C49",
            InPart,
            values(|config, _, index| if index == 0 && config.qk_norm == QkNorm::None { 99.0 } else { 1.0 }),
        ),
        (
            "C49",
            Holds,
            values(|config, _, index| {
                let whole = config.placement == Placement::Olmo2 && config.qk_norm != QkNorm::None;
                if index == 0 && !whole { 99.0 } else { 1.0 }
            }),
        ),
        ("C65", Holds, FLAT),
        ("C65", DoesNotHold, values(|_, _, index| root(index))),
        ("C71", Holds, FLAT),
        ("C71", InPart, values(|_, _, index| root(index).recip())),
        ("C71", DoesNotHold, values(vanishing)),
    ];
    let of_stream = [
        ("C14", Holds, values(|_, quantity, _| if quantity == Quantity::NormJacobian { 0.5f64.sqrt() } else { 1.0 })),
        (
            "C14",
            DoesNotHold,
            values(|_, quantity, _| match quantity {
                Quantity::NormJacobian => 0.5f64.sqrt(),
                Quantity::NetFactor => 0.5,
                _ => 1.0,
            }),
        ),
        ("C15", Holds, FLAT),
        (
            "C15",
            DoesNotHold,
            values(|_, quantity, index| if quantity == Quantity::StreamRms { root(index) } else { 1.0 }),
        ),
        ("C16", Holds, FLAT),
        ("C16", InPart, values(|_, _, _| 0.5)),
        ("C16", DoesNotHold, values(|_, _, _| 0.01)),
        ("C23", DoesNotHold, values(|_, _, _| 0.5)),
        ("C23", Holds, values(|_, _, _| 0.05)),
        ("C23", OnlyIf, values(|config, _, _| if config.residual_scale == ResidualScale::Gpt2 { 0.05 } else { 0.5 })),
        ("C30", Holds, FLAT),
        ("C30", DoesNotHold, values(|_, _, index| root(index))),
        ("C31", Holds, FLAT),
        ("C31", DoesNotHold, values(|_, _, index| root(2 * index))),
        ("C32", DoesNotHold, FLAT),
        ("C32", Holds, values(|_, _, index| root(index))),
        ("C60", DoesNotHold, values(|_, _, index| root(index))),
        ("C60", Holds, values(|_, _, index| 1.05f64.powi(index as i32))),
        ("C75", DoesNotHold, values(|_, _, index| root(index))),
        ("C75", Holds, values(|_, _, index| 1.05f64.powi(index as i32))),
        ("C76", DoesNotHold, values(|_, _, index| root(index))),
        ("C76", Holds, values(|_, _, index| 1.1f64.powi(index as i32))),
        ("C77", DoesNotHold, FLAT),
        ("C77", OnlyIf, values(|config, _, _| if config.placement == Placement::None { 1e10 } else { 50.0 })),
        ("C77", Holds, values(|_, _, _| f64::INFINITY)),
        ("C78", Holds, values(|config, _, _| if config.placement == Placement::Pre { 0.9 } else { 0.5 })),
        (
            "C78",
            DoesNotHold,
            values(|config, quantity, _| match (config.placement, quantity) {
                (Placement::Pre, Quantity::StreamRms) => 5.0,
                (Placement::Pre, _) => 0.5,
                _ => 1.0,
            }),
        ),
    ];
    let of_blocks = [
        ("C1", Holds, FLAT),
        ("C1", DoesNotHold, models(flip_norms)),
        ("C9", Holds, FLAT),
        ("C9", DoesNotHold, models(flip_norms)),
        ("C21", Holds, FLAT),
        ("C21", DoesNotHold, models(|model| model.sublayers[0].skip = 2.0)),
        ("C29", Holds, FLAT),
        ("C29", DoesNotHold, models(|model| model.sublayers[1].branch_norm = false)),
        ("C33", Holds, FLAT),
        ("C33", DoesNotHold, models(|model| model.sublayers.iter_mut().for_each(|s| s.branch_norm = false))),
        ("C34", InPart, FLAT),
        ("C34", DoesNotHold, models(|model| model.matrices.clear())),
        ("C34", Holds, models(|model| model.sublayers.iter_mut().skip(12).for_each(|s| s.branch_norm = false))),
        ("C35", Holds, FLAT),
        ("C35", DoesNotHold, models(flip_norms)),
        ("C36", DoesNotHold, FLAT),
        ("C36", Holds, models(|model| model.final_norm = true)),
        ("C44", DoesNotHold, FLAT),
        ("C44", Holds, models(|model| model.sublayers.iter_mut().for_each(|s| (s.skip, s.input_gain) = (1.0, 0.5)))),
        ("C81", DoesNotHold, FLAT),
        (
            "C81",
            Holds,
            models(|model| {
                let extra = Sublayer { input_norm: true, sum_norm: false, ..model.sublayers[0] };
                model.sublayers.insert(0, extra);
            }),
        ),
        ("C82", Holds, FLAT),
        ("C82", DoesNotHold, models(|model| model.sublayers.truncate(1))),
        ("C84", DoesNotHold, FLAT),
        (
            "C84",
            Holds,
            models(|model| {
                if model.config.init == Init::Xavier {
                    model.matrices.iter_mut().for_each(|matrix| matrix.std *= 2f64.sqrt());
                }
            }),
        ),
        ("C88", InPart, FLAT),
        ("C88", Holds, models(|model| model.sublayers.iter_mut().for_each(|s| s.sum_norm = true))),
        ("C88", DoesNotHold, models(|model| model.sublayers.iter_mut().for_each(|s| s.branch_norm = false))),
    ];
    [&of_post[..], &of_cross, &of_pre, &of_stream, &of_blocks].concat()
}

fn is_collapsed(config: &Config) -> bool {
    config.cross.0 && config.memory_cos == 1.0
}

#[test]
fn a_rule_follows_its_evidence() {
    let mut found: HashMap<&str, Vec<VerdictKind>> = HashMap::new();
    for (id, expected, world) in cases() {
        let Test::Measured(rule) = claims::find(id).expect(id).test else { panic!("{id} is not measured") };
        let outcome = (rule.judge)(&world.answer(&(rule.question)()));
        assert_eq!(outcome.verdict.kind(), expected, "{id}: {outcome:?}");
        found.entry(id).or_default().push(expected);
    }
    for claim in claims::ALL.iter().filter(|claim| matches!(claim.test, Test::Measured(_))) {
        let kinds = found.get(claim.id).map_or(&[][..], |kinds| kinds);
        assert!(kinds.iter().any(|kind| *kind != kinds[0]), "{}: {kinds:?}", claim.id);
    }
}

#[test]
fn nothing_known_decides_nothing() {
    let unknown = World { value: |_, _, _| f64::NAN, sgd: |_| f64::NAN, ..FLAT };
    for claim in &claims::ALL {
        let Test::Measured(rule) = claim.test else { continue };
        let empty = (rule.judge)(&Evidence::default());
        assert_eq!(empty.verdict.kind(), NotDecided, "{}: {empty:?}", claim.id);
        let question = (rule.question)();
        // What a description alone decides needs no pass.
        if question.models.is_empty() {
            let outcome = (rule.judge)(&unknown.answer(&question));
            assert_eq!(outcome.verdict.kind(), NotDecided, "{}: {outcome:?}", claim.id);
        }
    }
}

#[test]
fn the_order_of_the_evidence_does_not_matter() {
    for (id, expected, world) in cases() {
        let Test::Measured(rule) = claims::find(id).expect(id).test else { panic!("{id} is not measured") };
        let mut evidence = world.answer(&(rule.question)());
        evidence.passes.reverse();
        evidence.updates.reverse();
        evidence.models.reverse();
        assert_eq!((rule.judge)(&evidence).verdict.kind(), expected, "{id}");
    }
}

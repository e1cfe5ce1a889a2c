//! Where a curve leaves its axis or its arithmetic, and the sentence that says so. A line never silently ends.

use crate::stats::Mark;

use super::axis::Range;
use super::curve::{Curve, Loss};
use crate::share::Relation;
use crate::text::chart as says;

/// Where a value is, seen from an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On it.
    On,
    /// Above its top; the value is known.
    Above,
    /// Below its bottom; the value is known.
    Below,
    /// Exactly zero, which a logarithmic axis does not have.
    Zero,
    /// Below what the arithmetic resolves: a number came out, and it is noise.
    Faint,
    /// Not resolved, and not small either: its digits are not to be believed.
    Uncertain,
    /// Past the largest number of the arithmetic.
    Overflow,
    /// Not a number.
    NotANumber,
}

impl Place {
    /// Whether the rail above the plot takes the line on.
    #[must_use]
    pub const fn is_top(self) -> bool {
        matches!(self, Self::Above | Self::Uncertain | Self::Overflow | Self::NotANumber)
    }

    /// Whether the rail below the plot takes the line on.
    #[must_use]
    pub const fn is_floor(self) -> bool {
        matches!(self, Self::Below | Self::Zero | Self::Faint)
    }
}

/// Neighbouring values in the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Which.
    pub place: Place,
    /// Index of the first.
    pub from: usize,
    /// Index of the last.
    pub to: usize,
}

/// Where one value of a curve is.
#[must_use]
pub fn place(curve: &Curve, value: f64, mark: Option<Mark>, range: &Range) -> Place {
    match mark {
        // Which of the two models it is due to, their own curves tell.
        Some(mark) if curve.relation != Relation::Values && mark != Mark::Zero => Place::NotANumber,
        Some(Mark::NotANumber) => Place::NotANumber,
        Some(Mark::Overflow) => Place::Overflow,
        Some(Mark::Unresolved) if !curve.is_faint(value) => Place::Uncertain,
        Some(Mark::Unresolved | Mark::Underflow) => Place::Faint,
        Some(Mark::Zero) if range.log => Place::Zero,
        Some(Mark::Zero) | None => match range.share(value) {
            share if share > 1.0 + 1e-9 => Place::Above,
            share if share < -1e-9 => Place::Below,
            share if share.is_nan() => Place::Below,
            _ => Place::On,
        },
    }
}

/// The runs of a curve on an axis, in order.
#[must_use]
pub fn runs(curve: &Curve, range: &Range) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (index, value) in curve.values.iter().enumerate() {
        let place = place(curve, *value, curve.marks.get(index).copied().flatten(), range);
        match runs.last_mut() {
            Some(run) if run.place == place => run.to = index,
            _ => runs.push(Run { place, from: index, to: index }),
        }
    }
    runs
}

/// A clause of a sentence.
enum Clause {
    /// What the curve does: `leaves this axis in block 7`.
    Does(String),
    /// A clause with a subject of its own: `blocks 29 to 200 are below what float32 resolves`.
    Whole(String),
}

/// What is wrong with a curve on an axis, in one sentence; `None` where nothing is.
#[must_use]
pub fn sentence(curve: &Curve, range: &Range, brief: bool) -> Option<String> {
    let runs = runs(curve, range);
    let label = &*curve.name;
    if brief {
        let parts = brief_parts(curve, &runs);
        return parts.into_iter().reduce(says::listed).map(|list| says::brief(label, list));
    }
    clauses(curve, &runs).into_iter().fold(None, |sentence, clause| {
        Some(match (sentence, clause) {
            (None, Clause::Does(what)) => says::curve_does(label, what),
            (None, Clause::Whole(clause)) => says::curve_with(label, clause),
            (Some(sentence), Clause::Does(what)) => says::and_it_does(sentence, what),
            (Some(sentence), Clause::Whole(clause)) => says::and_with(sentence, clause),
        })
    })
}

/// Whether a run off the axis is where the curve ends up: on the axis before, never again after.
fn is_for_good(runs: &[Run], spans: &[(u32, u32)], wanted: Place) -> bool {
    let Some(position) = runs.iter().position(|run| run.place == wanted) else { return false };
    spans.len() == 1 && position > 0 && runs[position..].iter().all(|run| run.place != Place::On)
}

fn clauses(curve: &Curve, runs: &[Run]) -> Vec<Clause> {
    let precision = curve.precision;
    let spans = |wanted: Place| spans(curve, runs, wanted);
    let all = |wanted: Place| runs.iter().all(|run| run.place == wanted);
    let mut clauses = Vec::new();
    for place in [Place::Above, Place::Below] {
        let is_above = place == Place::Above;
        let list = spans(place);
        let what = match list.as_slice() {
            [] => continue,
            _ if all(place) && is_above => says::above_throughout().into(),
            _ if all(place) => says::below_throughout().into(),
            [(block, _), ..] if is_for_good(runs, &list, place) => {
                if is_above {
                    says::above_from(*block)
                } else {
                    says::below_from(*block)
                }
            }
            _ if is_above => says::above_in(blocks(&list)),
            _ => says::below_in(blocks(&list)),
        };
        clauses.push(Clause::Does(what));
    }
    match spans(Place::Faint).as_slice() {
        [] => {}
        [(from, to)] if from == to => clauses.push(Clause::Whole(says::block_faint(says::block(*from), precision))),
        list => clauses.push(Clause::Whole(says::blocks_faint(blocks(list), precision))),
    }
    let uncertain = spans(Place::Uncertain);
    if !uncertain.is_empty() {
        clauses.push(Clause::Whole(says::uncertain_in(blocks(&uncertain), precision)));
    }
    if let [(block, _), ..] = spans(Place::Overflow).as_slice() {
        clauses.push(Clause::Does(says::past_from(*block, precision)));
    }
    match (spans(Place::NotANumber).as_slice(), curve.loss) {
        ([], _) => {}
        (list, _) if curve.relation != Relation::Values => {
            clauses.push(Clause::Does(says::not_compared(blocks(list))));
        }
        ([(block, _), ..], Some(loss)) if loss.by_scores && *block == loss.block && !all(Place::NotANumber) => {
            clauses.push(Clause::Whole(says::scores_overflow(*block, precision)));
        }
        (_, Some(Loss { block, by_scores })) if all(Place::NotANumber) => {
            let what = if by_scores { says::lost_by_scores(block) } else { says::lost_by_stream(block) };
            clauses.push(Clause::Whole(what));
        }
        _ if all(Place::NotANumber) => clauses.push(Clause::Does(says::lost_throughout().into())),
        (list, _) => clauses.push(Clause::Does(says::lost_in(blocks(list)))),
    }
    let zero = spans(Place::Zero);
    if all(Place::Zero) {
        clauses.push(Clause::Does(says::zero_throughout().into()));
    } else if !zero.is_empty() {
        clauses.push(Clause::Does(says::zero_in(blocks(&zero))));
    }
    if curve.last_block() < curve.depth {
        clauses.push(Clause::Does(says::no_counterpart(curve.last_block())));
    }
    clauses
}

fn brief_parts(curve: &Curve, runs: &[Run]) -> Vec<String> {
    let precision = curve.precision;
    let places: [(Place, String); 7] = [
        (Place::Above, says::brief_above().into()),
        (Place::Below, says::brief_below().into()),
        (Place::Faint, says::brief_faint(precision)),
        (Place::Uncertain, says::brief_uncertain().into()),
        (Place::Overflow, says::brief_past(precision)),
        (
            Place::NotANumber,
            if curve.relation == Relation::Values { says::brief_lost() } else { says::brief_not_compared() }.into(),
        ),
        (Place::Zero, says::brief_zero().into()),
    ];
    let part = |(wanted, what): (Place, String)| {
        let list = spans(curve, runs, wanted);
        let (first, _) = *list.first()?;
        let is_all = runs.iter().all(|run| run.place == wanted);
        let to_the_end = runs.last().is_some_and(|run| run.place == wanted) || is_for_good(runs, &list, wanted);
        Some(match (is_all, to_the_end && list.len() == 1) {
            (true, _) => what,
            (_, true) => says::brief_from(what, first),
            _ => says::brief_in(what, blocks(&list)),
        })
    };
    let end = curve.last_block() + 1;
    let cut = (end <= curve.depth).then(|| says::brief_from(says::brief_no_counterpart().to_owned(), end));
    places.into_iter().filter_map(part).chain(cut).collect()
}

fn spans(curve: &Curve, runs: &[Run], wanted: Place) -> Vec<(u32, u32)> {
    let of_place = runs.iter().filter(|run| run.place == wanted);
    of_place.map(|run| (curve.block(run.from), curve.block(run.to))).collect()
}

/// `block 7`, `blocks 29 to 200`, `17 blocks between 3 and 40`, as it follows “in”.
pub(super) fn blocks(spans: &[(u32, u32)]) -> String {
    let span = |&(from, to): &(u32, u32)| if from == to { from.to_string() } else { says::span(from, to) };
    match spans {
        [(from, to)] if from == to => says::block(*from),
        [one] => says::blocks(span(one)),
        [one, two] => says::two_spans(span(one), span(two)),
        [(first, _), .., (_, last)] => {
            let count: u32 = spans.iter().map(|(from, to)| to - from + 1).sum();
            says::many_spans(count, *first, *last)
        }
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, blocks, runs, sentence};
    use crate::chart::axis::Range;
    use crate::chart::curve::Loss;
    use crate::chart::curve::tests::curve;
    use crate::model::Placement;
    use crate::share::{Along, Relation};
    use crate::stats::Mark;

    const LINEAR: Range = Range { low: 0.0, high: 12.0, log: false };
    const LOG: Range = Range { low: 0.01, high: 10.0, log: true };

    #[test]
    fn a_curve_is_cut_into_runs() {
        let curve = curve(Placement::None, 0, &[1.0, 5.0, 40.0, 300.0, f64::INFINITY, f64::NAN, f64::NAN]);
        let runs: Vec<_> = runs(&curve, &LINEAR).iter().map(|run| (run.place, run.from, run.to)).collect();
        assert_eq!(runs, [(Place::On, 0, 1), (Place::Above, 2, 3), (Place::Overflow, 4, 4), (Place::NotANumber, 5, 6)]);
        assert_eq!(
            sentence(&curve, &LINEAR, false).unwrap(),
            "No norm leaves this axis in block 2; it passes float32’s range in block 4; it is not a number in blocks 5 to 6"
        );
        assert_eq!(
            sentence(&curve, &LINEAR, true).unwrap(),
            "No norm: off axis from 2, past float32 from 4, no number from 5"
        );
    }

    #[test]
    fn what_float32_cannot_resolve_is_said() {
        let mut curve = curve(Placement::Post, 1, &[0.1; 200]);
        for index in 28..200 {
            curve.values[index] = 1e-9;
            curve.marks[index] = Some(Mark::Unresolved);
        }
        assert_eq!(sentence(&curve, &LOG, false).unwrap(), "Post-LN: blocks 29 to 200 are below what float32 resolves");
    }

    #[test]
    fn what_is_large_is_not_called_faint() {
        let mut chaos = curve(Placement::None, 1, &[1e20, 1e9, 2.0]);
        chaos.marks = vec![Some(Mark::Unresolved); 3];
        assert_eq!(sentence(&chaos, &LOG, false).unwrap(), "No norm: float32 does not resolve blocks 1 to 3");
        assert_eq!(sentence(&chaos, &LOG, true).unwrap(), "No norm: not resolved");
    }

    #[test]
    fn the_reason_is_told_where_it_is_known() {
        let mut stream = curve(Placement::None, 0, &[1.0, 5.0, 40.0, 300.0, f64::NAN]);
        stream.loss = Some(Loss { block: 4, by_scores: true });
        assert_eq!(
            sentence(&stream, &LINEAR, false).unwrap(),
            "No norm leaves this axis in block 2; its scores overflow float32 in block 4"
        );
        let mut gradient = curve(Placement::None, 1, &[f64::NAN; 3]);
        gradient.loss = stream.loss;
        assert_eq!(
            sentence(&gradient, &LOG, false).unwrap(),
            "No norm: not a number, attention scores overflowed in block 4"
        );
        assert_eq!(sentence(&gradient, &LOG, true).unwrap(), "No norm: no number");
    }

    #[test]
    fn a_curve_may_come_from_beyond_the_axis() {
        let falling = curve(Placement::Olmo2, 1, &[900.0, 90.0, 5.0, 0.2]);
        assert_eq!(sentence(&falling, &LOG, false).unwrap(), "OLMo 2 is above this axis in blocks 1 to 2");
        let mut sinking = curve(Placement::Post, 1, &[1.0, 0.1, 0.001, 1e-6, 1e-9]);
        sinking.marks[4] = Some(Mark::Unresolved);
        assert_eq!(
            sentence(&sinking, &LOG, false).unwrap(),
            "Post-LN leaves this axis downwards in block 3; block 5 is below what float32 resolves"
        );
    }

    #[test]
    fn a_curve_that_ends_with_another_model_says_so() {
        let (deep, shallow) = (curve(Placement::Pre, 1, &[1.0; 9]), curve(Placement::Post, 1, &[2.0; 4]));
        let mut lost = shallow.clone();
        lost.marks[2] = Some(Mark::NotANumber);
        let unlike = deep.against(&lost, Relation::Ratio, Along::Share);
        assert_eq!(
            sentence(&unlike, &LOG, false).unwrap(),
            "Pre-LN cannot be compared in 3 blocks between 6 and 8"
                .replace("3 blocks between 6 and 8", "blocks 6 to 7")
        );
        let ratio = deep.against(&shallow, Relation::Ratio, Along::Block);
        assert_eq!(sentence(&ratio, &LOG, false).unwrap(), "Pre-LN has nothing to compare with after block 4");
        assert_eq!(sentence(&ratio, &LOG, true).unwrap(), "Pre-LN: nothing to compare with from 5");
        assert_eq!(sentence(&deep.against(&shallow, Relation::Ratio, Along::Share), &LOG, false), None);
    }

    #[test]
    fn zero_has_no_place_on_a_log_axis() {
        let curve = curve(Placement::Pre, 1, &[0.0, 0.0]);
        assert_eq!(sentence(&curve, &LOG, false).unwrap(), "Pre-LN is exactly 0 in every block");
        assert_eq!(sentence(&curve, &LINEAR, false), None);
    }

    #[test]
    fn nothing_is_said_where_nothing_is_wrong() {
        assert_eq!(sentence(&curve(Placement::Pre, 1, &[1.0, 0.5, 0.3]), &LOG, false), None);
    }

    #[test]
    fn blocks_in_words() {
        assert_eq!(blocks(&[(3, 3)]), "block 3");
        assert_eq!(blocks(&[(3, 9)]), "blocks 3 to 9");
        assert_eq!(blocks(&[(3, 9), (12, 12)]), "blocks 3 to 9 and 12");
        assert_eq!(blocks(&[(3, 9), (12, 12), (14, 15)]), "10 blocks between 3 and 15");
    }
}

//! Where a curve leaves its axis or its arithmetic, and the sentence that says so. A line never silently ends.

use crate::stats::Mark;

use super::axis::Range;
use super::curve::Curve;

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
    Unresolved,
    /// Past the largest number of the arithmetic.
    Overflow,
    /// Not a number.
    NotANumber,
}

impl Place {
    /// Whether the rail above the plot takes the line on.
    #[must_use]
    pub const fn is_top(self) -> bool {
        matches!(self, Self::Above | Self::Overflow | Self::NotANumber)
    }

    /// Whether the rail below the plot takes the line on.
    #[must_use]
    pub const fn is_floor(self) -> bool {
        matches!(self, Self::Below | Self::Zero | Self::Unresolved)
    }

    /// Whether there is no number to speak of.
    #[must_use]
    pub const fn is_hatched(self) -> bool {
        matches!(self, Self::Unresolved | Self::Overflow | Self::NotANumber)
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

/// Where one value is.
#[must_use]
pub fn place(value: f64, mark: Option<Mark>, range: &Range) -> Place {
    match mark {
        Some(Mark::NotANumber) => Place::NotANumber,
        Some(Mark::Overflow) => Place::Overflow,
        Some(Mark::Unresolved | Mark::Underflow) => Place::Unresolved,
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
        let place = place(*value, curve.marks.get(index).copied().flatten(), range);
        match runs.last_mut() {
            Some(run) if run.place == place => run.to = index,
            _ => runs.push(Run { place, from: index, to: index }),
        }
    }
    runs
}

/// What is wrong with a curve on an axis, in one sentence; `None` where nothing is.
#[must_use]
pub fn sentence(curve: &Curve, range: &Range, brief: bool) -> Option<String> {
    let runs = runs(curve, range);
    let label = curve.placement.recipe().label;
    let precision = curve.precision;
    let first = |wanted: Place| runs.iter().find(|run| run.place == wanted).map(|run| curve.block(run.from));
    let all = |wanted: Place| runs.iter().all(|run| run.place == wanted);
    let mut parts = Vec::new();

    if let Some(block) = first(Place::Above) {
        parts.push(if all(Place::Above) {
            if brief { "above this axis".into() } else { "is above this axis throughout".into() }
        } else if brief {
            format!("off axis from {block}")
        } else {
            format!("leaves this axis in block {block}")
        });
    }
    if let Some(block) = first(Place::Below) {
        parts.push(if all(Place::Below) {
            if brief { "below this axis".into() } else { "is below this axis throughout".into() }
        } else if brief {
            format!("below axis, {}", blocks(&curve_runs(curve, &runs, Place::Below)))
        } else {
            format!("is below this axis in {}", blocks(&curve_runs(curve, &runs, Place::Below)))
        });
        let _ = block;
    }
    if let Some(block) = first(Place::Overflow) {
        parts.push(if brief {
            format!("overflow from {block}")
        } else {
            format!("passes {precision}’s range in block {block}")
        });
    }
    if let Some(block) = first(Place::NotANumber) {
        parts.push(if all(Place::NotANumber) {
            if brief { "not a number".into() } else { "is not a number in any block".into() }
        } else if brief {
            format!("no number from {block}")
        } else {
            format!("is not a number from block {block} on")
        });
    }
    if let Some(block) = first(Place::Unresolved) {
        let where_ = curve_runs(curve, &runs, Place::Unresolved);
        let _ = block;
        parts.push(if brief {
            format!("{} below {precision}", blocks(&where_))
        } else if parts.is_empty() {
            return Some(format!("{label}: {} below what {precision} resolves", blocks_are(&where_)));
        } else {
            format!("{} below what {precision} resolves", blocks_are(&where_))
        });
    }
    if first(Place::Zero).is_some() {
        let where_ = curve_runs(curve, &runs, Place::Zero);
        parts.push(if all(Place::Zero) {
            if brief { "0 in every block".into() } else { "is exactly 0 in every block".into() }
        } else {
            format!("is exactly 0 in {}", blocks(&where_))
        });
    }
    if parts.is_empty() {
        return None;
    }
    Some(if brief { format!("{label}: {}", parts.join(", ")) } else { format!("{label} {}", parts.join("; it ")) })
}

fn curve_runs(curve: &Curve, runs: &[Run], wanted: Place) -> Vec<(u32, u32)> {
    let of_place = runs.iter().filter(|run| run.place == wanted);
    of_place.map(|run| (curve.block(run.from), curve.block(run.to))).collect()
}

/// `block 7`, `blocks 29 to 200`, `17 blocks between 3 and 40`.
pub(super) fn blocks(spans: &[(u32, u32)]) -> String {
    let span = |&(from, to): &(u32, u32)| if from == to { format!("{from}") } else { format!("{from} to {to}") };
    match spans {
        [(from, to)] if from == to => format!("block {from}"),
        [one] => format!("blocks {}", span(one)),
        [one, two] => format!("blocks {} and {}", span(one), span(two)),
        [(first, _), .., (_, last)] => {
            let count: u32 = spans.iter().map(|(from, to)| to - from + 1).sum();
            format!("{count} blocks between {first} and {last}")
        }
        [] => String::new(),
    }
}

fn blocks_are(spans: &[(u32, u32)]) -> String {
    let one = matches!(spans, [(from, to)] if from == to);
    format!("{} {}", blocks(spans), if one { "is" } else { "are" })
}

#[cfg(test)]
mod tests {
    use super::{Place, blocks, runs, sentence};
    use crate::chart::axis::Range;
    use crate::chart::curve::tests::curve;
    use crate::model::Placement;
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
            "No norm leaves this axis in block 2; it passes float32’s range in block 4; it is not a number from block 5 on"
        );
        assert_eq!(
            sentence(&curve, &LINEAR, true).unwrap(),
            "No norm: off axis from 2, overflow from 4, no number from 5"
        );
    }

    #[test]
    fn what_float32_cannot_resolve_is_said() {
        let mut curve = curve(Placement::Post, 1, &[0.1; 200]);
        for index in 28..200 {
            curve.marks[index] = Some(Mark::Unresolved);
        }
        assert_eq!(sentence(&curve, &LOG, false).unwrap(), "Post-LN: blocks 29 to 200 are below what float32 resolves");
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

//! Curves against another curve: how many times it they are, or how far from it.

use super::curve::Curve;
use super::view::Along;
use crate::share::Relation;
use crate::stats::Mark;

impl Curve {
    /// This curve against another: block by block, or at the same share of each model's depth. What either model does
    /// not have is left out; where either value cannot be believed, theirs is not either, and of several seeds the band
    /// is left out, for it belongs to one side of the two.
    #[must_use]
    pub fn against(&self, base: &Self, relation: Relation, along: Along) -> Self {
        let of_index = |index: usize| {
            let block = self.block(index);
            let at_base = match along {
                Along::Block => block,
                Along::Share => base.nearest(f64::from(block) / f64::from(self.depth)),
            };
            let (value, mark) = self.at(block)?;
            Some(combine(relation, (value, mark), base.at(at_base)?))
        };
        let (values, marks) = (0..self.values.len()).map_while(of_index).unzip();
        Self { values, marks, band: Vec::new(), relation, fresh: self.fresh && base.fresh, ..self.clone() }
    }
}

/// One value against another.
fn combine(
    relation: Relation,
    (value, mark): (f64, Option<Mark>),
    (base, base_mark): (f64, Option<Mark>),
) -> (f64, Option<Mark>) {
    // Zero is as good a value as any; all else in a mark is in the way of arithmetic.
    let in_the_way = |mark: Option<Mark>| match mark {
        None | Some(Mark::Zero) => None,
        Some(Mark::Underflow) => Some(Mark::Unresolved),
        other => other,
    };
    let worst = [in_the_way(mark), in_the_way(base_mark)].into_iter().flatten().max_by_key(|mark| match mark {
        Mark::NotANumber => 2,
        Mark::Overflow => 1,
        _ => 0,
    });
    let result = match relation {
        Relation::Values => value,
        Relation::Ratio => value / base,
        Relation::Difference => value - base,
    };
    match worst {
        Some(mark) => (f64::NAN, Some(mark)),
        None if result == 0.0 && relation == Relation::Ratio => (result, Some(Mark::Zero)),
        // By zero, or beyond what a double holds.
        None if !result.is_finite() => (f64::NAN, Some(Mark::NotANumber)),
        None => (result, None),
    }
}

#[cfg(test)]
mod tests {
    use super::{Along, Relation};
    use crate::chart::curve::tests::curve;
    use crate::model::Placement;
    use crate::stats::Mark;

    #[test]
    fn a_ratio_and_a_difference_go_block_by_block() {
        let (over, under) = (curve(Placement::Post, 1, &[6.0, 8.0, 1.0]), curve(Placement::Pre, 1, &[3.0, 2.0, 4.0]));
        assert_eq!(over.against(&under, Relation::Ratio, Along::Block).values, [2.0, 4.0, 0.25]);
        let apart = over.against(&under, Relation::Difference, Along::Block);
        assert_eq!(apart.values, [3.0, 6.0, -3.0]);
        assert_eq!((apart.name.as_ref(), apart.depth, apart.first), ("Post-LN", 3, 1));
    }

    #[test]
    fn depths_may_differ() {
        let (shallow, deep) =
            (curve(Placement::Pre, 0, &[1.0, 2.0, 3.0]), curve(Placement::Pre, 0, &[1.0, 4.0, 5.0, 6.0, 9.0]));
        // What the shallow model does not have is no ratio.
        assert_eq!(deep.against(&shallow, Relation::Ratio, Along::Block).values, [1.0, 2.0, 5.0 / 3.0]);
        // Begin, middle and end of the two.
        assert_eq!(shallow.against(&deep, Relation::Ratio, Along::Share).values, [1.0, 0.4, 1.0 / 3.0]);
    }

    #[test]
    fn what_cannot_be_believed_has_no_ratio() {
        let mut over = curve(Placement::None, 1, &[1.0, f64::NAN, 4.0, 0.0, 1.0]);
        let mut under = curve(Placement::Pre, 1, &[f64::INFINITY, 2.0, 2.0, 2.0, 0.0]);
        let ratio = over.against(&under, Relation::Ratio, Along::Block);
        let expected = [Some(Mark::Overflow), Some(Mark::NotANumber), None, Some(Mark::Zero), Some(Mark::NotANumber)];
        assert_eq!(ratio.marks, expected);
        let difference = over.against(&under, Relation::Difference, Along::Block);
        assert_eq!(difference.marks[3..], [None, None]);
        assert_eq!(difference.values[3..], [-2.0, 1.0]);
        over.marks[2] = Some(Mark::Unresolved);
        under.marks[3] = Some(Mark::Underflow);
        let ratio = over.against(&under, Relation::Ratio, Along::Block);
        assert_eq!(ratio.marks[2..4], [Some(Mark::Unresolved); 2]);
        assert!(ratio.values[2].is_nan());
    }
}

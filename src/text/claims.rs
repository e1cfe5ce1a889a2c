//! Texts of the claims: what is said, what the sources say.

use super::{find, texts};

texts! { "claims":
    /// The verdict on what is supported under a condition.
    only_if(condition);
    /// The verdict on what is supported in a part.
    in_part(part);
}

/// What belongs to a row of a table: to a claim (`C13`, `said`), a topic (`topic`, its key). Empty where there is no such
/// text.
#[must_use]
pub(crate) fn of(row: &str, what: &str) -> &'static str {
    find(&format!("claims.{row}.{what}")).unwrap_or_default()
}

/// The names that [`of`] is asked for.
#[cfg(test)]
pub(super) fn by_table() -> Vec<String> {
    use std::collections::BTreeSet;

    use crate::claims::{ALL, Cite, Guide, Topic, VerdictKind};

    let of_each = ALL.iter().flat_map(|claim| {
        let condition = matches!(claim.verdict, VerdictKind::OnlyIf | VerdictKind::InPart).then_some("condition");
        ["place", "said", "source"].into_iter().chain(condition).map(|what| (claim.id, what))
    });
    let places: BTreeSet<_> = ALL.iter().flat_map(|claim| claim.sources).filter_map(Cite::place_name).collect();
    let rows = [
        Guide::ALL.iter().map(|guide| ("guide", guide.key())).collect(),
        Topic::ALL.iter().map(|topic| ("topic", topic.key())).collect(),
        VerdictKind::ALL.iter().map(|kind| ("verdict", kind.key())).collect(),
        places.into_iter().map(|place| ("at", place)).collect(),
        of_each.collect::<Vec<_>>(),
    ];
    rows.into_iter().flatten().map(|(row, what)| format!("claims.{row}.{what}")).collect()
}

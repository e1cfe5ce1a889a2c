//! What a panel shows, in a few words, computed from its values.

use super::sheet::{Sheet, is_log, texture_of};
use super::texture::Texture;
use crate::chart::gaps::blocks;
use crate::stats::Blocks;
use crate::text::{chart as says, number};

/// What changes by less than this factor is level.
const LEVEL: f64 = 1.5;

/// Two lines on the model of a depth, or of the measured one next to it: how the value runs over its blocks, and how it
/// changes with depth.
#[must_use]
pub fn saying(sheet: &Sheet, depth: u32) -> Vec<String> {
    let depth = depth.clamp(*sheet.depths.start(), *sheet.depths.end());
    let Some((depth, row)) = sheet.stand_in(depth).and_then(|known| Some((known, sheet.row(known)?))) else {
        return Vec::new();
    };
    let log = is_log(sheet.quantity);
    let mut lines = vec![over_blocks(depth, row, log)];
    lines.extend(lost(row, log).or_else(|| over_depths(sheet, log)));
    lines
}

/// Whether a value became smaller, larger or neither.
fn compare(from: f64, to: f64, log: bool) -> std::cmp::Ordering {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let is_level = if log { (to / from).ln().abs() < LEVEL.ln() } else { (to - from).abs() < 0.1 };
    match to.partial_cmp(&from) {
        _ if is_level => Equal,
        Some(Less) => Less,
        _ => Greater,
    }
}

fn over_blocks(depth: u32, row: &Blocks, log: bool) -> String {
    let known = |index: &usize| texture_of(row.marks[*index], log).is_none();
    let (Some(first), Some(last)) = ((0..row.values.len()).find(known), (0..row.values.len()).rev().find(known)) else {
        return says::panel_no_value(depth);
    };
    let (from, to) = (row.values[first], row.values[last]);
    if first == last && row.values.len() > 1 {
        return says::panel_one(number::value(from), row.first + first as u32);
    }
    let said = match compare(from, to, log) {
        std::cmp::Ordering::Equal => says::panel_level,
        std::cmp::Ordering::Less => says::panel_falls,
        std::cmp::Ordering::Greater => says::panel_rises,
    };
    said(number::value(from), number::value(to))
}

/// The blocks that have no value for the reason that is most frequent.
fn lost(row: &Blocks, log: bool) -> Option<String> {
    let textures: Vec<_> = row.marks.iter().map(|mark| texture_of(*mark, log)).collect();
    let count = |texture: Texture| textures.iter().filter(|other| **other == Some(texture)).count();
    let texture =
        Texture::ALL.into_iter().filter(|texture| count(*texture) > 0).max_by_key(|texture| count(*texture))?;
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for (index, _) in textures.iter().enumerate().filter(|(_, other)| **other == Some(texture)) {
        let block = row.first + index as u32;
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == block => *end = block,
            _ => runs.push((block, block)),
        }
    }
    Some(says::panel_without(blocks(&runs), texture.name()))
}

/// The first value of the shallowest and of the deepest model that are measured.
fn over_depths(sheet: &Sheet, log: bool) -> Option<String> {
    let first = |(depth, row): (u32, &Blocks)| {
        let is_known = texture_of(*row.marks.first()?, log).is_none();
        is_known.then(|| Some((depth, *row.values.first()?)))?
    };
    let ((shallow, from), (deep, to)) = (first(sheet.rows().next()?)?, first(sheet.rows().next_back()?)?);
    if shallow == deep {
        return None;
    }
    let block = sheet.first();
    Some(match compare(from, to, log) {
        std::cmp::Ordering::Equal => says::panel_alike(block),
        _ => says::panel_over_depths(block, number::value(from), shallow, number::value(to), deep),
    })
}

#[cfg(test)]
mod tests {
    use super::saying;
    use crate::chart::heat::sheet::tests::sheet;
    use crate::model::Placement;

    #[test]
    fn a_panel_says_how_its_values_run() {
        let all: Vec<u32> = (6..=24).collect();
        let pre = sheet(Placement::Pre, 24, &all, |_, block| 1.2 / f64::from(block).sqrt());
        assert_eq!(saying(&pre, 24), ["falls from 1.20 to 0.24", "block 1: alike at any depth"]);
        assert_eq!(saying(&pre, 9)[0], "falls from 1.20 to 0.40");
        let deepnorm = sheet(Placement::DeepNorm, 24, &[6, 24], |depth, _| 1.0 / f64::from(depth));
        assert_eq!(saying(&deepnorm, 24), ["level, 0.042 to 0.042", "block 1: 0.17 at 6, 0.042 at 24"]);
        assert_eq!(saying(&sheet(Placement::Post, 24, &[], |_, _| 1.0), 24), [""; 0]);
    }

    #[test]
    fn it_says_where_there_is_no_value() {
        let lost = |depth: u32, block: u32| if depth == 24 && block > 20 { f64::NAN } else { 2f64.powi(block as i32) };
        let none = sheet(Placement::None, 24, &[6, 24], lost);
        let lines = saying(&none, 24);
        assert_eq!(lines[0], "rises from 2.00 to 1.0\u{2009}×\u{2009}10⁶");
        assert_eq!(lines[1], "blocks 21 to 24: not a number");
        let one = sheet(Placement::None, 24, &[24], |_, block| if block == 24 { 0.98 } else { f64::NAN });
        assert_eq!(saying(&one, 24), ["0.98 in block 24, the only one", "blocks 1 to 23: not a number"]);
        let nothing = sheet(Placement::None, 24, &[24], |_, _| f64::NAN);
        assert_eq!(saying(&nothing, 24), ["no value at depth 24", "blocks 1 to 24: not a number"]);
    }
}

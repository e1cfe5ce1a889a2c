//! The cells of a panel in the pixels of a device: every pixel has the colour of the cell below its middle, so that edges
//! are sharp at any ratio of device to CSS pixels.

use std::ops::Range as Span;

use super::ramp::Ramp;
use super::scale::ColorScale;
use super::sheet::{Sheet, texture_of};
use super::texture::{Texture, Weave};
use crate::chart::theme::{Color, Theme};
use crate::sort::sort_short;

/// Pixels, row by row, each red, green, blue and opacity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Raster {
    /// In a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Four bytes a pixel.
    pub pixels: Vec<u8>,
}

impl Raster {
    /// Nothing drawn.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, pixels: vec![0; 4 * (width * height) as usize] }
    }

    fn set(&mut self, x: u32, y: u32, color: Color) {
        let at = 4 * (y * self.width + x) as usize;
        self.pixels[at..at + 4].copy_from_slice(&[color.red, color.green, color.blue, 255]);
    }

    /// The colour of a pixel; `None` where nothing is drawn.
    #[must_use]
    pub fn get(&self, x: u32, y: u32) -> Option<Color> {
        let at = 4 * (y * self.width + x) as usize;
        let [red, green, blue, alpha] = self.pixels[at..at + 4].try_into().ok()?;
        (alpha > 0).then_some(Color { red, green, blue })
    }

    /// Draws the colours of a scale from left to right.
    pub(super) fn bar(&mut self, columns: Span<u32>, rows: Span<u32>, ramp: &Ramp) {
        let width = f64::from(columns.end - columns.start);
        for x in columns.clone() {
            let color = ramp.at((f64::from(x - columns.start) + 0.5) / width);
            rows.clone().for_each(|y| self.set(x, y, color));
        }
    }

    /// Draws a texture.
    pub(super) fn swatch(&mut self, columns: Span<u32>, rows: Span<u32>, texture: Texture, ratio: f64, theme: &Theme) {
        let weave = Weave::new(ratio);
        for y in rows {
            for x in columns.clone() {
                self.set(x, y, woven(weave, texture, x, y, theme));
            }
        }
    }
}

fn woven(weave: Weave, texture: Texture, x: u32, y: u32, theme: &Theme) -> Color {
    match texture {
        _ if !weave.is_ink(texture, x, y) => theme.background,
        Texture::NotMeasured => theme.rule_strong,
        _ => theme.ink_2,
    }
}

/// What a cell is painted with.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ink {
    /// Beyond the last block.
    None,
    /// A colour, and the contour it lies beyond.
    Color(Color, i8),
    Texture(Texture),
}

impl Ink {
    /// What a contour parts; nothing where there is no value.
    const fn contour(self) -> Option<i8> {
        if let Self::Color(_, contour) = self { Some(contour) } else { None }
    }
}

/// The row of a depth, and whether it is measured or another stands in.
struct Row {
    inks: Vec<Ink>,
    is_measured: bool,
}

/// Paints a panel, `width` by `height` device pixels at so many of them in a CSS pixel.
#[must_use]
pub fn paint(sheet: &Sheet, scale: &ColorScale, theme: &Theme, [width, height]: [u32; 2], ratio: f64) -> Raster {
    let (ramp, weave) = (Ramp::of(theme), Weave::new(ratio));
    let rows: Vec<Row> = sheet.depths.clone().map(|depth| row(sheet, scale, &ramp, depth)).collect();
    let place = |pixel: u32, count: u32, size: u32| ((2 * pixel + 1) * count / (2 * size)) as usize;
    let columns: Vec<usize> = (0..width).map(|x| place(x, sheet.columns(), width)).collect();
    let mut raster = Raster::new(width, height);
    for y in 0..height {
        let Row { inks, is_measured } = &rows[place(y, sheet.count(), height)];
        for x in 0..width {
            let color = match inks[columns[x as usize]] {
                Ink::None => continue,
                Ink::Color(..) if !is_measured && weave.is_ink(Texture::NotMeasured, x, y) => theme.background,
                Ink::Color(color, _) => color,
                Ink::Texture(texture) => woven(weave, texture, x, y, theme),
            };
            raster.set(x, y, color);
        }
    }
    if let Some(contours) = contours(&rows) {
        // A line lies within the cell on whose left or upper side the contour runs.
        let line = (1.25 * ratio).round().max(1.0) as u32;
        for y in 0..height {
            let own = &contours[place(y, sheet.count(), height)];
            let above = &contours[place(y.saturating_sub(line), sheet.count(), height)];
            for x in 0..width {
                let column = columns[x as usize];
                let Some(here) = own[column] else { continue };
                let beside = [own[columns[x.saturating_sub(line) as usize]], above[column]];
                let highest = beside.into_iter().flatten().fold(here, i8::max);
                if beside.into_iter().flatten().any(|other| other != here) {
                    // The far ends of the ramp: the upper one is away from the paper.
                    raster.set(x, y, if highest > 0 { theme.background } else { theme.ink });
                }
            }
        }
    }
    raster
}

/// The contours of all cells, if there are some; nothing where there is no value. Each is the median of its neighbours',
/// down and then across: one cell that is out of line has no contour of its own.
fn contours(rows: &[Row]) -> Option<Vec<Vec<Option<i8>>>> {
    let raw: Vec<Vec<Option<i8>>> = rows.iter().map(|row| row.inks.iter().map(|ink| ink.contour()).collect()).collect();
    if raw.iter().flatten().all(|contour| matches!(contour, None | Some(0))) {
        return None;
    }
    let wide = raw.first().map_or(0, Vec::len);
    let columns: Vec<_> = (0..wide).map(|x| smoothed(&raw.iter().map(|row| row[x]).collect::<Vec<_>>())).collect();
    Some((0..raw.len()).map(|y| smoothed(&columns.iter().map(|column| column[y]).collect::<Vec<_>>())).collect())
}

/// The median of each contour and its neighbours; nothing where there is no value.
pub(super) fn smoothed(contours: &[Option<i8>]) -> Vec<Option<i8>> {
    const REACH: usize = 2;
    let median = |at: usize| {
        contours[at]?;
        let near = &contours[at.saturating_sub(REACH)..(at + REACH + 1).min(contours.len())];
        let mut known = [0; 2 * REACH + 1];
        let count = near.iter().flatten().zip(&mut known).map(|(contour, place)| *place = *contour).count();
        sort_short(&mut known[..count], Ord::cmp);
        Some(known[count / 2])
    };
    (0..contours.len()).map(median).collect()
}

/// The row of a depth, or of the measured depth next to it, no wider than the model.
fn row(sheet: &Sheet, scale: &ColorScale, ramp: &Ramp, depth: u32) -> Row {
    let known = sheet.stand_in(depth);
    let values = known.and_then(|known| sheet.row(known));
    let wide = (depth + 1 - sheet.first()) as usize;
    let ink = |column: usize| {
        if column >= wide {
            return Ink::None;
        }
        let Some((&value, &mark)) = values.and_then(|row| row.values.get(column).zip(row.marks.get(column))) else {
            return Ink::Texture(Texture::NotMeasured);
        };
        match texture_of(mark, scale.range.log) {
            Some(texture) => Ink::Texture(texture),
            None => Ink::Color(ramp.at(scale.range.share(value)), scale.contour(value)),
        }
    };
    Row { inks: (0..sheet.columns() as usize).map(ink).collect(), is_measured: known == Some(depth) }
}

#[cfg(test)]
mod tests {
    use super::{Raster, paint};
    use crate::chart::heat::ramp::Ramp;
    use crate::chart::heat::scale::ColorScale;
    use crate::chart::heat::sheet::Sheet;
    use crate::chart::heat::sheet::tests::sheet;
    use crate::chart::theme::Theme;
    use crate::model::Placement;

    fn painted(sheet: &Sheet, cell: u32) -> (Raster, ColorScale) {
        let scale = ColorScale::fit([sheet].into_iter(), true);
        let size = [sheet.columns() * cell, sheet.count() * cell];
        (paint(sheet, &scale, &Theme::LIGHT, size, 1.0), scale)
    }

    #[test]
    fn each_cell_has_the_colour_of_its_value() {
        let value = |depth: u32, block: u32| f64::from(depth) / f64::from(block);
        let sheet = sheet(Placement::Pre, 12, &(6..=12).collect::<Vec<_>>(), value);
        let (raster, scale) = painted(&sheet, 3);
        let ramp = Ramp::of(&Theme::LIGHT);
        for depth in 6..=12 {
            for block in 1..=12 {
                let expected = (block <= depth).then(|| ramp.at(scale.range.share(value(depth, block))));
                for corner in [0, 2] {
                    let got = raster.get(3 * (block - 1) + corner, 3 * (depth - 6) + corner);
                    assert_eq!(got, expected, "depth {depth}, block {block}");
                }
            }
        }
    }

    #[test]
    fn a_row_that_is_not_measured_is_its_neighbour_dotted() {
        let sheet = sheet(Placement::Pre, 12, &[6, 12], |depth, _| f64::from(depth));
        let (raster, scale) = painted(&sheet, 8);
        let ramp = Ramp::of(&Theme::LIGHT);
        let color = |depth: f64| Some(ramp.at(scale.range.share(depth)));
        let middle = |depth: u32| 8 * (depth - 6) + 2;
        assert_eq!(raster.get(2, middle(8)), color(6.0));
        assert_eq!(raster.get(2, middle(10)), color(12.0));
        // Dots of paper in a row that stands in, and none in one that is measured.
        assert_eq!(raster.get(0, 8 * 2), Some(Theme::LIGHT.background));
        assert_eq!(raster.get(0, 0), color(6.0));
        // Block 7 of depth 8: the model of depth 6 has none.
        assert_eq!(raster.get(8 * 6, 8 * 2), Some(Theme::LIGHT.rule_strong));
        assert_eq!(raster.get(8 * 6 + 2, 8 * 2 + 2), Some(Theme::LIGHT.background));
        // Block 9 of depth 8 does not exist, though depth 12, which does not stand there, has it.
        assert_eq!(raster.get(8 * 8 + 2, middle(8)), None);
    }

    #[test]
    fn what_is_no_value_is_woven_and_no_colour_of_the_scale() {
        let strange = [1.0, f64::NAN, f64::INFINITY, 0.0, 1e-40, 1e-9];
        let sheet = sheet(Placement::None, 12, &[6, 7, 8, 9, 10, 11, 12], |_, block| strange[(block as usize - 1) % 6]);
        let (raster, _) = painted(&sheet, 12);
        let inks = |block: u32| {
            let pixels = (0..144).map(|i| raster.get(12 * (block - 1) + i % 12, i / 12).unwrap());
            pixels.collect::<Vec<_>>()
        };
        let paper = |block| inks(block).iter().filter(|color| **color == Theme::LIGHT.background).count();
        assert_eq!(paper(1), 0);
        for block in 2..=6 {
            let rest = inks(block).iter().filter(|color| **color == Theme::LIGHT.ink_2).count();
            assert_eq!(paper(block) + rest, 144, "block {block}");
            assert!((12..72).contains(&rest), "block {block}: {rest}");
        }
        assert_eq!(inks(2), inks(3), "both are no number");
        assert!([4, 5, 6].iter().all(|block| inks(*block) != inks(2)));
    }

    #[test]
    fn contours_run_between_cells_of_different_size_beyond_the_scale() {
        // Most values are near 1, so that those of the first blocks lie beyond.
        let value = |_: u32, block: u32| if block <= 12 { 10f64.powf(8.0 - f64::from(block.div_ceil(2))) } else { 1.0 };
        let sheet = sheet(Placement::Olmo2, 40, &(6..=40).collect::<Vec<_>>(), value);
        let (raster, scale) = painted(&sheet, 6);
        // Paper on the dark end of the ramp, ink on the light one.
        let drawn = |block: u32| match raster.get(6 * (block - 1), 6 * 20 + 4) {
            Some(color) if color == Theme::LIGHT.background => Some(true),
            Some(color) if color == Theme::LIGHT.ink => Some(false),
            _ => None,
        };
        let lines: Vec<u32> = (1..=26).filter(|block| drawn(*block).is_some()).collect();
        let crosses = |block: &u32| scale.contour(value(0, *block)) != scale.contour(value(0, block - 1));
        assert_eq!(lines, (2..=26).filter(crosses).collect::<Vec<_>>());
        assert!(lines.len() >= 2 && lines.iter().all(|block| drawn(*block) == Some(true)), "{lines:?} of {scale:?}");
    }

    #[test]
    fn a_cell_out_of_line_has_no_contour() {
        let value = |depth: u32, block: u32| if (depth, block) == (20, 9) { 1e9 } else { 1.0 };
        let sheet = sheet(Placement::Olmo2, 40, &(6..=40).collect::<Vec<_>>(), value);
        let (raster, scale) = painted(&sheet, 6);
        assert!(scale.contour(1e9) > 2);
        let end = Ramp::of(&Theme::LIGHT).at(1.0);
        for pixel in 0..36 {
            assert_eq!(raster.get(6 * 8 + pixel % 6, 6 * 14 + pixel / 6), Some(end));
        }
    }

    #[test]
    fn small_values_beyond_the_scale_have_contours_of_ink() {
        let value = |_: u32, block: u32| if block <= 12 { 10f64.powf(f64::from(block.div_ceil(2)) - 8.0) } else { 1.0 };
        let sheet = sheet(Placement::Post, 40, &(6..=40).collect::<Vec<_>>(), value);
        let (raster, _) = painted(&sheet, 6);
        let ink = (1..=26).filter(|block| raster.get(6 * (block - 1), 6 * 20 + 4) == Some(Theme::LIGHT.ink)).count();
        assert!(ink >= 2, "{ink}");
    }
}

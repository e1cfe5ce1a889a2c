//! The colours of a scale: magma (van der Walt & Smith 2015), perceptually uniform and told apart by the colour-blind.
//! Low values approach the paper, so that light and dark mirror each other.

use crate::chart::theme::{Color, Theme};

/// Colours in a ramp: as many as eight bits tell apart.
const STEPS: usize = 256;

/// The ends of magma that would be lost on paper or on ink.
const LIGHT_END: f64 = 0.985;
const DARK_END: f64 = 0.12;
const SPAN: f64 = 0.86;

/// The colours of a theme, low values first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp([Color; STEPS]);

impl Ramp {
    /// The colours of a theme.
    #[must_use]
    pub fn of(theme: &Theme) -> Self {
        let is_dark = *theme == Theme::DARK;
        Self(std::array::from_fn(|step| {
            let share = step as f64 / (STEPS - 1) as f64;
            magma(if is_dark { DARK_END + SPAN * share } else { LIGHT_END - SPAN * share })
        }))
    }

    /// The colour at a share of the scale; beyond its ends that of the end.
    #[must_use]
    pub fn at(&self, share: f64) -> Color {
        self.0[(share.clamp(0.0, 1.0) * (STEPS - 1) as f64).round() as usize]
    }
}

/// A polynomial of degree six through the table of matplotlib, off by 3 of 255 at most.
fn magma(t: f64) -> Color {
    const COEFFICIENTS: [[f64; 3]; 7] = [
        [-0.002_136_485, -0.000_749_655, -0.005_386_128],
        [0.251_660_541, 0.677_523_244, 2.494_026_599],
        [8.353_717_279, -3.577_719_515, 0.314_467_903],
        [-27.668_733_086, 14.264_730_781, -13.649_213_188],
        [52.176_139_812, -27.943_606_072, 12.944_169_442],
        [-50.768_525_365, 29.046_582_821, 4.234_152_994],
        [18.655_705_066, -11.489_773_520, -5.601_961_509],
    ];
    let [red, green, blue] = [0, 1, 2].map(|channel| {
        let value = COEFFICIENTS.iter().rev().fold(0.0, |sum, term| sum * t + term[channel]);
        (255.0 * value.clamp(0.0, 1.0)).round() as u8
    });
    Color { red, green, blue }
}

#[cfg(test)]
mod tests {
    use super::{Ramp, STEPS, magma};
    use crate::chart::theme::{Color, Theme};

    /// CIE L* under D65.
    fn lightness(color: Color) -> f64 {
        let linear = |channel: u8| {
            let c = f64::from(channel) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        let y = 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
        if y <= 0.008_856 { 903.3 * y } else { 116.0 * y.cbrt() - 16.0 }
    }

    #[test]
    fn the_colours_are_those_of_the_table() {
        // matplotlib's magma at 0, 64, 128, 192 and 255 of 255.
        for (step, [red, green, blue]) in
            [(0, [0, 0, 4]), (64, [81, 18, 124]), (128, [183, 55, 121]), (192, [252, 137, 97]), (255, [252, 253, 191])]
        {
            let color = magma(f64::from(step) / 255.0);
            for (got, table) in [(color.red, red), (color.green, green), (color.blue, blue)] {
                assert!(i32::from(got).abs_diff(table) <= 5, "{step}: {color:?}, not {:?}", [red, green, blue]);
            }
        }
    }

    #[test]
    fn lightness_goes_one_way_in_even_steps() {
        for theme in [Theme::LIGHT, Theme::DARK] {
            let ramp = Ramp::of(&theme);
            let paper = lightness(theme.background);
            let distance: Vec<f64> = ramp.0.iter().map(|color| (lightness(*color) - paper).abs()).collect();
            let tenth = STEPS / 10;
            let steps: Vec<f64> = distance
                .iter()
                .step_by(tenth)
                .zip(distance.iter().skip(tenth).step_by(tenth))
                .map(|(a, b)| b - a)
                .collect();
            let mean = steps.iter().sum::<f64>() / steps.len() as f64;
            for step in &steps {
                assert!(*step > 0.5 * mean && *step < 1.6 * mean, "{steps:?}");
            }
        }
    }
}

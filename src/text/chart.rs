//! Texts of the charts and the reading of a measurement.

use super::texts;

texts! { "chart":
}

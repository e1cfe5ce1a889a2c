//! Texts of theory: names of curves, conditions and sources.

use super::texts;

texts! { "theory":
}

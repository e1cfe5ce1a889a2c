//! Texts of the presets.

use super::texts;

texts! { "presets":
}

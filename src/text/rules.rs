//! Texts of the rules that test claims: what was measured and what follows.

use super::texts;

texts! { "rules":
}

//! Texts of the claims: what is said, what the sources say.

use super::texts;

texts! { "claims":
}

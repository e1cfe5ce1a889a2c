//! Texts of links and the command line: help on keys, values allowed, what is wrong with a value.

use super::texts;

texts! { "links":
}

//! Texts of the page: its controls, notices, tables and help.

use super::texts;

texts! { "page":
}

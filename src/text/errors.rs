//! Texts of runs that no plan holds.

use super::texts;

texts! { "errors":
    too_large(needed, allowed);
    slab_too_large(needed, allowed);
    too_many_workgroups(needed, allowed);
}

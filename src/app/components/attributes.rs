//! Attributes by their names. Leptos has a type for each name, and compiles each with each type of value anew, half a
//! kilobyte each time; the traits here stand in for its own in the views.

use leptos::attr::AttributeValue;
use leptos::attr::custom::{CustomAttr, CustomAttribute};
use leptos::tachys::view::add_attr::AddAnyAttr;

/// What the views use of Leptos.
pub(super) mod prelude {
    pub(in super::super) use super::{AriaAttributes, GlobalAttributes};
    pub(in super::super) use leptos::prelude::*;
}

macro_rules! by_name {
    ($(#[$meta:meta])* $trait:ident: $($method:ident = $name:literal),+ $(,)?) => {
        $(#[$meta])*
        pub(super) trait $trait<V: AttributeValue>: CustomAttribute<&'static str, V> {
            $(fn $method(self, value: V) -> <Self as AddAnyAttr>::Output<CustomAttr<&'static str, V>> {
                self.attr($name, value)
            })+
        }

        impl<V: AttributeValue, E: CustomAttribute<&'static str, V>> $trait<V> for E {}
    };
}

by_name! {
    /// Those of any element.
    GlobalAttributes:
    hidden = "hidden", id = "id", inputmode = "inputmode", lang = "lang", popover = "popover",
    role = "role", spellcheck = "spellcheck", tabindex = "tabindex", title = "title",
}

by_name! {
    /// Those of assistive technology.
    AriaAttributes:
    aria_checked = "aria-checked", aria_current = "aria-current", aria_describedby = "aria-describedby",
    aria_description = "aria-description", aria_disabled = "aria-disabled", aria_expanded = "aria-expanded",
    aria_hidden = "aria-hidden", aria_invalid = "aria-invalid", aria_label = "aria-label",
    aria_labelledby = "aria-labelledby", aria_live = "aria-live", aria_orientation = "aria-orientation",
    aria_pressed = "aria-pressed", aria_valuemax = "aria-valuemax", aria_valuemin = "aria-valuemin",
    aria_valuenow = "aria-valuenow", aria_valuetext = "aria-valuetext",
}

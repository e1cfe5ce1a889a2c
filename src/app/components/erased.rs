//! Closures of the views behind pointers. Leptos compiles what keeps an attribute, a listener or a part of a view up to
//! date anew for each type of closure, half a kilobyte and more each time.

use std::sync::{Arc, Mutex};

use leptos::prelude::*;
use leptos::tachys::reactive_graph::SharedReactiveFunction;

/// An attribute that follows the state.
pub(super) fn live<T>(value: impl Fn() -> T + Send + Sync + 'static) -> Arc<dyn Fn() -> T + Send + Sync> {
    Arc::new(value)
}

/// A part of a view that follows the state.
pub(super) fn part<V: IntoAny>(view: impl Fn() -> V + Send + 'static) -> SharedReactiveFunction<AnyView> {
    Arc::new(Mutex::new(move || view().into_any()))
}

/// A part of a view that is there while something holds; it is made anew each time that begins to.
pub(super) fn when<V: IntoAny + 'static>(
    holds: impl Fn() -> bool + Send + Sync + 'static,
    view: impl Fn() -> V + Send + 'static,
) -> SharedReactiveFunction<AnyView> {
    let holds = live(holds);
    let holds = Memo::new(move |_| holds());
    part(move || holds.get().then(|| view().into_any()))
}

/// A row for each number, kept as long as its number is there.
pub(super) fn rows(
    each: impl Fn() -> Vec<usize> + Send + Sync + 'static,
    row: impl Fn(usize) -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let each: Arc<dyn Fn() -> Vec<usize> + Send + Sync> = Arc::new(each);
    let row: Arc<dyn Fn(usize) -> AnyView + Send + Sync> = Arc::new(row);
    view! { <For each=move || each() key=|number| *number children=move |number| row(number)/> }.into_any()
}

/// What hears an event.
pub(super) fn on<E>(heard: impl FnMut(E) + 'static) -> Box<dyn FnMut(E)> {
    Box::new(heard)
}

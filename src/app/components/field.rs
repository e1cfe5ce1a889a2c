//! Fields of the form: one reads and writes one key of a link.

use crate::app::components::attributes::prelude::*;
use web_sys::{HtmlInputElement, KeyboardEvent};

use crate::app::state::{Gesture, Page, effect, page};
use crate::app::words;
use crate::share::{Kind, keys};

use super::erased::{live, on, part};
use super::icons;

/// The value of a key as text.
pub(super) fn text_of(page: Page, key: &str) -> String {
    let key = keys().iter().find(|known| known.name == key);
    key.map_or_else(String::new, |key| page.request.with(|request| (key.get)(request)))
}

fn value_of(page: Page, key: &'static str) -> Memo<String> {
    Memo::new(move |_| text_of(page, key))
}

/// The choices of a key.
pub(super) fn choices_of(key: &str) -> &'static [&'static str] {
    match keys().iter().find(|known| known.name == key).map(|key| key.kind) {
        Some(Kind::Choice(words) | Kind::List(words)) => words,
        _ => &[],
    }
}

/// Sets a key, and says what was wrong or had to give way.
fn set(page: Page, key: &'static str, text: &str, gesture: Gesture) -> Result<Option<String>, String> {
    let mut changed = page.request.get_untracked();
    match changed.set(key, text) {
        Ok(notices) => {
            page.change(gesture, |request| *request = changed);
            let told: Vec<_> =
                notices.iter().map(|notice| words::is_now(&notice.key, &notice.used, &notice.allowed)).collect();
            Ok((!told.is_empty()).then(|| told.join(" ")))
        }
        Err(notice) => Err(words::not_allowed(text, &notice.allowed, &notice.used)),
    }
}

/// A choice.
#[component]
pub(super) fn Select(key: &'static str, #[prop(optional)] with_automatic: bool) -> impl IntoView {
    let page = page();
    let value = value_of(page, key);
    let change = move |event| {
        let text = event_target_value(&event);
        if text.is_empty() {
            page.change(Gesture::Choice, |request| request.engine = None);
        } else {
            let _ = set(page, key, &text, Gesture::Choice);
        }
    };
    let option = move |word: &'static str| {
        view! {
            <option value=word selected=live(move || value.get() == word)>{words::choice(key, word)}</option>
        }
    };
    view! {
        <label class="pick" on:focusin=on(move |_| page.helped.set(key)) on:pointerenter=on(move |_| page.helped.set(key))>
            <span class="key">{words::label(key)}</span>
            <select name=key prop:value=live(move || value.get()) on:change=on(change) aria-describedby="help">
                {with_automatic.then(|| option(""))}
                {choices_of(key).iter().map(|word| option(word)).collect_view()}
            </select>
            <span class="art" inner_html=icons::CHEVRON></span>
        </label>
    }
}

/// What a field, or two of a pair, had to say of the last entry, and of which values.
#[derive(Clone, Copy)]
pub(super) struct Message {
    text: RwSignal<String>,
    keys: (&'static str, Option<&'static str>),
    of: StoredValue<[String; 2]>,
}

impl Message {
    /// Nothing to say yet of a key, and of another that gives way to it.
    pub(super) fn about(key: &'static str, other: Option<&'static str>) -> Self {
        Self { text: RwSignal::new(String::new()), keys: (key, other), of: StoredValue::default() }
    }

    fn keys_now(self, page: Page) -> [String; 2] {
        let (key, other) = self.keys;
        [text_of(page, key), other.map_or_else(String::new, |other| text_of(page, other))]
    }

    fn say(self, page: Page, text: String) {
        self.of.set_value(untrack(|| self.keys_now(page)));
        self.text.set(text);
    }
}

/// A whole number. What is typed stays until it is allowed; the state keeps the last allowed value.
#[component]
pub(super) fn Number(
    key: &'static str,
    /// What had to be said of the last entry.
    message: Message,
) -> impl IntoView {
    let page = page();
    let value = value_of(page, key);
    let is_wrong = RwSignal::new(false);
    let enter = move |text: &str, gesture| match set(page, key, text.trim(), gesture) {
        Ok(told) => {
            is_wrong.set(false);
            message.say(page, told.unwrap_or_default());
        }
        Err(told) => {
            is_wrong.set(true);
            message.say(page, told);
        }
    };
    // Another value from elsewhere replaces what was typed.
    Effect::new(move |before: Option<String>| {
        let now = value.get();
        if before.is_some_and(|before| before != now) && is_wrong.get_untracked() {
            is_wrong.set(false);
        }
        now
    });
    let keydown = move |event: KeyboardEvent| {
        let input: HtmlInputElement = event_target(&event);
        let by = match event.key().as_str() {
            "Escape" => {
                input.set_value(&value.get_untracked());
                is_wrong.set(false);
                return message.say(page, String::new());
            }
            "ArrowUp" => 1,
            "ArrowDown" => -1,
            _ => return,
        };
        event.prevent_default();
        let stride = if key == "width" { i64::from(page.request.with_untracked(|r| r.config.heads)).max(1) } else { 1 };
        if let Ok(number) = value.get_untracked().parse::<i64>() {
            let next = (number + by * stride).to_string();
            let mut trial = page.request.get_untracked();
            if trial.set(key, &next).is_ok_and(|notices| notices.is_empty()) {
                enter(&next, Gesture::Movement);
            }
        }
    };
    view! {
        <input
            class="number"
            name=key
            type="text"
            inputmode="numeric"
            autocomplete="off"
            spellcheck="false"
            size="4"
            aria-label=words::label(key)
            aria-invalid=live(move || if is_wrong.get() { "true" } else { "false" })
            aria-describedby=format!("help told-{key}")
            prop:value=live(move || value.get())
            on:change=on(move |event| enter(&event_target_value(&event), Gesture::Choice))
            on:keydown=on(keydown)
            on:focus=on(move |_| page.helped.set(key))
        />
    }
}

/// A row with one number.
#[component]
pub(super) fn NumberRow(key: &'static str) -> impl IntoView {
    let page = page();
    let message = Message::about(key, None);
    view! {
        <label class="pick" on:pointerenter=on(move |_| page.helped.set(key))>
            <span class="key">{words::label(key)}</span>
            <Number key=key message=message/>
        </label>
        <Told key=key message=message/>
    }
}

/// What a field has to say.
#[component]
pub(super) fn Told(key: &'static str, message: Message) -> impl IntoView {
    let page = page();
    // A change from elsewhere, as by Back, leaves nothing to say.
    effect(move || {
        let now = message.keys_now(page);
        if message.of.with_value(|of| *of != now) {
            message.text.set(String::new());
        }
    });
    let text = message.text;
    view! {
        <p class="told" id=format!("told-{key}") role="status" hidden=live(move || text.with(String::is_empty))>
            {part(move || text.get())}
        </p>
    }
}

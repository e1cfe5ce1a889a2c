//! Small things asked of the browser. What it refuses is done without: storage and the clipboard may be blocked.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{MediaQueryList, MessageChannel, Window};

/// The window of the page; the app runs in no other place.
#[must_use]
pub(crate) fn window() -> Window {
    web_sys::window().unwrap_throw()
}

/// Milliseconds since the page was opened.
#[must_use]
pub(crate) fn now_ms() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

/// Leaves a mark on the browser's timeline, for whoever measures.
pub(crate) fn mark(name: &str) {
    if let Some(performance) = window().performance() {
        let _ = performance.mark(name);
    }
}

/// Marks how long it took from the opening of the page to now.
pub(crate) fn measure_from_start(name: &str) {
    if let Some(performance) = window().performance() {
        let _ = performance.measure(name);
    }
}

/// Whether the browser speaks of WebGPU at all.
#[must_use]
pub(crate) fn has_webgpu() -> bool {
    let gpu = js_sys::Reflect::get(&window().navigator(), &"gpu".into());
    gpu.is_ok_and(|gpu| gpu.is_object())
}

/// Vendor and architecture of the adapter that the browser would give, such as “apple metal-3”: most browsers tell these
/// where they hide the name.
pub(crate) async fn adapter_family() -> Option<String> {
    let of = |object: &JsValue, key: &str| js_sys::Reflect::get(object, &key.into()).ok();
    let gpu = of(&window().navigator(), "gpu")?;
    let request: js_sys::Function = of(&gpu, "requestAdapter")?.dyn_into().ok()?;
    let promise: Promise = request.call0(&gpu).ok()?.dyn_into().ok()?;
    let adapter = JsFuture::from(promise).await.ok()?;
    let info = of(&adapter, "info")?;
    let words = ["vendor", "architecture"].map(|key| of(&info, key).and_then(|word| word.as_string()));
    let family = words.into_iter().flatten().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    (!family.is_empty()).then_some(family)
}

/// Whether the browser looks for finished GPU work only every 100 ms unless something is submitted: Firefox does.
#[must_use]
pub(crate) fn needs_nudge() -> bool {
    window().navigator().user_agent().is_ok_and(|name| name.contains("Firefox/"))
}

/// Device pixels of a CSS pixel.
#[must_use]
pub(crate) fn device_pixel_ratio() -> f64 {
    window().device_pixel_ratio().clamp(0.5, 8.0)
}

fn media(query: &str) -> Option<MediaQueryList> {
    window().match_media(query).ok().flatten()
}

/// Whether a media query holds now.
#[must_use]
pub(crate) fn media_matches(query: &str) -> bool {
    media(query).is_some_and(|list| list.matches())
}

/// Calls back at each change of a media query, as long as the page lives.
pub(crate) fn on_media_change(query: &str, call: impl Fn(bool) + 'static) {
    let Some(list) = media(query) else { return };
    let of_list = list.clone();
    let closure = Closure::<dyn Fn()>::new(move || call(of_list.matches()));
    let _ = list.add_event_listener_with_callback("change", closure.as_ref().unchecked_ref());
    closure.forget();
}

/// Whether the visitor asked for less motion.
#[must_use]
pub(crate) fn prefers_reduced_motion() -> bool {
    media_matches("(prefers-reduced-motion: reduce)")
}

/// What was stored under a key.
#[must_use]
pub(crate) fn stored(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// Where `boot.js` looks for the language that was chosen last.
pub(crate) const STORED_LANGUAGE: &str = "normscope.language";

/// Stores a value; false where the browser refuses.
pub(crate) fn store(key: &str, value: &str) -> bool {
    let Ok(Some(storage)) = window().local_storage() else { return false };
    storage.set_item(key, value).is_ok()
}

/// Loads the page anew.
pub(crate) fn reload() {
    // The browser refuses only where it is leaving already.
    let _ = window().location().reload();
}

/// Goes to an address, which loads the page anew even where it is the present one.
pub(crate) fn go_to(address: &str) {
    let location = window().location();
    if location.href().is_ok_and(|here| here == address) {
        reload();
    } else {
        let _ = location.assign(address);
    }
}

/// Copies a text; false where the browser refuses.
pub(crate) async fn copy(text: &str) -> bool {
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into());
    if !clipboard.is_ok_and(|clipboard| clipboard.is_object()) {
        return false;
    }
    JsFuture::from(window().navigator().clipboard().write_text(text)).await.is_ok()
}

/// Tells the scripts of the page that something is so.
pub(crate) fn announce(name: &str) {
    if let Ok(event) = web_sys::Event::new(name) {
        // False where a listener objects, which none can.
        let _ = window().dispatch_event(&event);
    }
}

/// Looks out for a change, until it is dropped.
pub(crate) struct ResizeWatch {
    observer: Option<web_sys::ResizeObserver>,
    /// Called by the observer.
    _call: Closure<dyn Fn()>,
}

impl Drop for ResizeWatch {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}

/// Calls a function when the size of an element changes.
#[must_use]
pub(crate) fn on_resize(element: &web_sys::Element, call: impl Fn() + 'static) -> ResizeWatch {
    let call = Closure::<dyn Fn()>::new(call);
    let observer = web_sys::ResizeObserver::new(call.as_ref().unchecked_ref()).ok();
    if let Some(observer) = &observer {
        observer.observe(element);
    }
    ResizeWatch { observer, _call: call }
}

/// Resolves after so many milliseconds.
pub(crate) async fn sleep(milliseconds: i32) {
    let promise = Promise::new(&mut |resolve, _| {
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds);
    });
    let _ = JsFuture::from(promise).await;
}

/// Calls a function when the window comes to have other device pixels, as on another screen.
pub(crate) fn on_pixel_ratio(call: impl Fn() + Clone + 'static) {
    let query = format!("(resolution: {}dppx)", window().device_pixel_ratio());
    let Some(list) = media(&query) else { return };
    // One query knows one ratio: after a change another is asked.
    let closure = Closure::once_into_js(move || {
        call();
        on_pixel_ratio(call);
    });
    let options = web_sys::AddEventListenerOptions::new();
    options.set_once(true);
    let _ = list.add_event_listener_with_callback_and_add_event_listener_options(
        "change",
        closure.unchecked_ref(),
        &options,
    );
}

/// Lets the browser draw and take input between two pieces of work. A message is quicker than a timer, which browsers
/// hold back to 4 ms.
pub(crate) struct Breath {
    channel: MessageChannel,
}

impl Breath {
    /// A way to yield.
    #[must_use]
    pub(crate) fn new() -> Option<Self> {
        Some(Self { channel: MessageChannel::new().ok()? })
    }

    /// Resolves after the browser had its turn.
    pub(crate) async fn take(&self) {
        let port = self.channel.port2();
        let promise = Promise::new(&mut |resolve, _| {
            self.channel.port1().set_onmessage(Some(&resolve));
            let _ = port.post_message(&JsValue::NULL);
        });
        let _ = JsFuture::from(promise).await;
    }
}

/// Calls back before each frame until the function returns false.
pub(crate) fn each_frame(call: impl Fn() -> bool + 'static) {
    fn next(call: Rc<dyn Fn() -> bool>) {
        leptos::prelude::request_animation_frame(move || {
            if call() {
                next(call);
            }
        });
    }
    next(Rc::new(call));
}

/// Runs a function once, a while after the last time it was asked to.
#[derive(Clone, Default)]
pub(crate) struct Later {
    turn: Rc<Cell<u64>>,
}

impl Later {
    /// Asks, and forgets what was asked before.
    pub(crate) fn ask(&self, milliseconds: u64, call: impl FnOnce() + 'static) {
        let turn = self.turn.get() + 1;
        self.turn.set(turn);
        let newest = Rc::clone(&self.turn);
        leptos::prelude::set_timeout(
            move || {
                if newest.get() == turn {
                    call();
                }
            },
            std::time::Duration::from_millis(milliseconds),
        );
    }

    /// Forgets what was asked.
    pub(crate) fn forget(&self) {
        self.turn.set(self.turn.get() + 1);
    }
}

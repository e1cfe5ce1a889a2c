//! The page. `boot.js` calls `mount` once it has the texts.

fn main() {
    console_error_panic_hook::set_once();
}

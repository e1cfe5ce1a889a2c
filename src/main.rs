//! The page. `boot.js` calls `mount` once it has the texts.

// What JavaScript calls is exported by the library.
use normscope as _;

fn main() {
    console_error_panic_hook::set_once();
}

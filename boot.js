// Starts the page: loads the module that wasm-bindgen made and hands it the WebAssembly file. Trunk writes both names
// into this script's tag (`pattern_script` in Trunk.toml). A failure is said on the page, which is never left blank.

// The theme that was chosen last, before anything is drawn: the module takes a while to arrive, and the page would be
// light until then. A browser that refuses storage throws; the system's theme holds there.
try {
  const theme = localStorage.getItem("normscope.theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // As without a choice.
}

// The browser finds a graphics device while the module arrives; the module asks again, and says what is wrong.
navigator.gpu?.requestAdapter({ powerPreference: "high-performance" }).catch(() => {});

const tag = document.querySelector("script[data-js][data-wasm]");

/** Puts a message at the top of the page. */
function fail(error) {
  console.error(error);
  const box = document.createElement("div");
  box.className = "boot-error";
  box.setAttribute("role", "alert");
  const line = document.createElement("p");
  line.textContent =
    typeof WebAssembly === "object"
      ? "Normscope could not start. Reloading the page may help; if it does not, this is what went wrong:"
      : "Normscope needs WebAssembly, which this browser does not have or has switched off.";
  const detail = document.createElement("pre");
  detail.textContent = String(error?.message ?? error);
  box.append(line, detail);
  document.body.prepend(box);
}

try {
  const bindings = await import(tag.dataset.js);
  // Given an address rather than bytes, it compiles while the file still arrives.
  const wasm = await bindings.default({ module_or_path: tag.dataset.wasm });
  dispatchEvent(new CustomEvent("TrunkApplicationStarted", { detail: { wasm } }));
} catch (error) {
  fail(error);
}

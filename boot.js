// Starts the page: loads the module that wasm-bindgen made and hands it the WebAssembly file and the texts of the reader's
// language. The build writes the names of all three into this script's tag (`pattern_script` in Trunk.toml). The builder
// and the gallery begin with it too, for a language is chosen in one way; their tags name no WebAssembly. A failure is
// said on the page, which is never left blank.

/** What was stored under a key; a browser that refuses storage throws, as if nothing were. */
function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

// The theme that was chosen last, before anything is drawn: the module takes a while to arrive, and the page would be
// light until then.
const theme = stored("normscope.theme");
if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;

const isFramed = window.self !== window.top;
/** What is shown, as the query of a link. */
let shown = () => location.search;

if (isFramed) {
  // There is less room (style/framed.css).
  document.documentElement.dataset.framed = "";
  // Slide decks unload a frame and load it anew: then it goes on where it was. A frame's name outlives its pages, needs no
  // storage, and begins anew with the page around it.
  const [mark, from, to] = window.name.split(" ");
  const began = location.search;
  const isOurs = mark === "normscope" && to !== undefined;
  if (isOurs && from === began && /^\?\S*$/.test(to)) history.replaceState(null, "", to);
  const keep = () => (window.name = `normscope ${began} ${shown()}`);
  if (isOurs || mark === "") {
    // At its end alone would be too late where a browser keeps the frame in a process of its own, as in a sandbox.
    let later;
    const soon = () => (clearTimeout(later), (later = setTimeout(keep, 200)));
    for (const type of ["normscope-state", "normscope-result"]) window.addEventListener(type, soon);
    window.addEventListener("pagehide", keep);
  }
}

const tag = document.querySelector("script[data-texts]");

// The browser finds a graphics device while the module arrives; the module asks again, and says what is wrong.
if (tag.dataset.wasm) navigator.gpu?.requestAdapter({ powerPreference: "high-performance" }).catch(() => {});

/** Fetches the texts of a language. */
async function fetchTexts(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  return response.json();
}

// The language of the link, else the one chosen last, else the first of the reader's that there is.
const files = JSON.parse(tag.dataset.texts);
const wanted = [new URLSearchParams(location.search).get("lang"), stored("normscope.language"), ...(navigator.languages ?? [])];
const language = wanted.map((tag) => tag?.toLowerCase().split("-")[0]).find((code) => Object.hasOwn(files, code)) ?? "en";
document.documentElement.lang = language;
const texts = fetchTexts(files[language]);
// A failure is dealt with below, where they are needed.
texts.catch(() => {});

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
  const { js, host, wasm: file } = tag.dataset;
  const [bindings, { serve }] = await Promise.all([js && import(js), import(host)]);
  // Given an address rather than bytes, it compiles while the file still arrives.
  const wasm = await bindings?.default({ module_or_path: file });
  const said = await texts;
  /** Says a text by its name, with values in the places of its braces. */
  const say = (name, values) => said[name].replace(/\{(\w+)\}/g, (_, place) => values[place]);
  await serve(say, bindings);
  if (bindings) {
    bindings.mount(language, said);
    shown = () => `?${bindings.ask("state", "")}`;
    dispatchEvent(new CustomEvent("TrunkApplicationStarted", { detail: { wasm } }));
  }
} catch (error) {
  fail(error);
}

// From now on the page works offline (sw.js). Not in a frame, and not where the browser refuses: then it just does not.
if (tag.dataset.worker && !isFramed) {
  try {
    await navigator.serviceWorker?.register(tag.dataset.worker);
  } catch {
    // In a private window, say.
  }
}

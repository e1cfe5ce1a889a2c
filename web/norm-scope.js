// `<norm-scope query="placement=post,pre&depth=48" hide="status" theme="dark"></norm-scope>`: the page as an element of
// another. The frame takes the height of what it shows, unless the style gives it one. Documented in docs/embedding.md.

const HOME = new URL(".", import.meta.url);
const PATIENCE_MS = 30_000;

class NormScope extends HTMLElement {
  static observedAttributes = ["query", "hide", "theme"];
  #frame;
  #number = 0;
  #asked = new Map();
  #hear = (event) => this.#heard(event);
  /** The page can be asked once it has told its height. */
  #told;
  #isThere = new Promise((done) => (this.#told = done));

  connectedCallback() {
    this.#frame = document.createElement("iframe");
    Object.assign(this.#frame, { title: this.getAttribute("title") ?? "Normscope", loading: "lazy", allow: "clipboard-write; fullscreen" });
    const { style } = this.#frame;
    style.setProperty("border", "0");
    style.setProperty("width", "100%");
    style.setProperty("height", "480px");
    // Shadow, so that styles of the host do not reach the frame.
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.replaceChildren(this.#frame);
    if (getComputedStyle(this).display === "inline") this.style.setProperty("display", "block");
    window.addEventListener("message", this.#hear);
    this.#load();
  }

  disconnectedCallback() {
    window.removeEventListener("message", this.#hear);
  }

  attributeChangedCallback(name, before, after) {
    if (this.#frame?.isConnected && before !== after) this.#load();
  }

  #load() {
    // Another page, which is not there yet; who waits for the one before waits on.
    const before = this.#told;
    this.#isThere = new Promise((done) => (this.#told = () => (before(), done())));
    const query = new URLSearchParams(this.getAttribute("query") ?? "");
    query.set("embed", "1");
    for (const name of ["hide", "theme"]) if (this.hasAttribute(name)) query.set(name, this.getAttribute(name));
    this.#frame.src = `${HOME}?${query}`;
  }

  #heard({ source, origin, data }) {
    if (source !== this.#frame.contentWindow || origin !== HOME.origin || data?.normscope !== 1) return;
    this.#told();
    if (data.event === "height" && !this.style.height) this.#frame.style.setProperty("height", `${data.height}px`);
    if (data.event) this.dispatchEvent(new CustomEvent(data.event, { detail: data }));
    this.#asked.get(data.id)?.(data);
    this.#asked.delete(data.id);
  }

  /** Asks the page, and resolves to its answer; see docs/embedding.md for what can be asked. */
  ask(question, more = {}) {
    const id = ++this.#number;
    return new Promise((done, failed) => {
      setTimeout(() => this.#asked.delete(id) && failed(new Error(`no answer to ${question}`)), PATIENCE_MS);
      this.#asked.set(id, (answer) => (answer.error ? failed(new Error(answer.error)) : done(answer)));
      this.#isThere.then(() => this.#frame.contentWindow.postMessage({ normscope: 1, id, ask: question, ...more }, HOME.origin));
    });
  }
}

if (!customElements.get("norm-scope")) customElements.define("norm-scope", NormScope);

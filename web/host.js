// What surrounds the page: the frame that it may stand in, and files that go out and come in. See docs/embedding.md for
// the messages.

/** The version of the messages. */
const PROTOCOL = 1;
/** What may be asked by message. */
const QUESTIONS = ["state", "set", "result", "picture", "play", "pause", "subscribe", "unsubscribe"];

/** What the page says whenever something changes; the second, once all that is asked for is there. */
const CHANGES = ["normscope-state", "normscope-result"];
/** What goes out, in the order of the list, with the text of each. */
const KINDS = {
  png1: ["host.export_png", { times: 1 }],
  png2: ["host.export_png", { times: 2 }],
  png3: ["host.export_png", { times: 3 }],
  svg: ["host.export_svg"],
  csv: ["host.export_csv"],
  json: ["host.export_json"],
  jax: ["host.export_script", { library: "JAX" }],
  torch: ["host.export_script", { library: "PyTorch" }],
  bibtex: ["host.export_bibtex"],
  video: ["host.export_video"],
  import: ["host.import"],
};

/** What was measured, as an object. */
function resultOf(lines) {
  const [head, ...runs] = lines.split("\n").map((line) => line.split("\t"));
  const [normscope, link, adapter, settled] = head;
  const run = ([name, seeds, milliseconds, json]) => ({ name, seeds: Number(seeds), milliseconds: Number(milliseconds), ...JSON.parse(json) });
  return { normscope, schema: 1, link, settled: settled === "true", adapter: adapter || null, runs: runs.map(run) };
}

/** An element with attributes and content. */
function make(tag, attributes = {}, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

/** Connects the page that `bindings` is the module of with what surrounds it; `say` says a text by its name (boot.js). */
export function serve(say, bindings) {
  const ask = (question, text = "") => bindings.ask(question, text);
  const result = () => resultOf(ask("result"));
  const atlas = () => resultOf(ask("atlas"));
  /** What exports and imports need of the page. */
  const page = { ask, atlas, result, say };
  /** The page says what it shows as soon as it is there. */
  const isThere = new Promise((done) => CHANGES.forEach((type) => window.addEventListener(type, done, { once: true })));
  /** Windows that hear of changes, with the origin that they had when they asked. */
  const subscribers = new Map();
  const isFramed = window.parent !== window;

  const post = (target, origin, message) => target.postMessage({ normscope: PROTOCOL, ...message }, origin === "null" ? "*" : origin);
  const tell = (message) => subscribers.forEach((origin, target) => post(target, origin, message));

  /** What a question is answered with. */
  async function answer({ ask: question, query }) {
    switch (question) {
      case "state":
        return { query: ask("state") };
      case "set": {
        const notices = ask("set", query).split("\n").filter(Boolean);
        return { query: ask("state"), notices };
      }
      case "result":
        return { result: result() };
      case "picture": {
        const { drawing } = await import("./export.js");
        return { svg: drawing(page).svg };
      }
      default:
        ask(question);
        return {};
    }
  }

  window.addEventListener("message", async ({ data, source, origin }) => {
    if (typeof data !== "object" || data === null || !("normscope" in data)) return;
    // The page that it is embedded in, and pages of its own site, may ask and set; nobody else is answered.
    if (!(isFramed && source === window.parent) && origin !== window.location.origin) return;
    const isWellFormed =
      data.normscope === PROTOCOL && QUESTIONS.includes(data.ask) && (data.ask !== "set" || typeof data.query === "string");
    if (!isWellFormed) {
      console.warn(`Normscope: a message was ignored, for it is not one of version ${PROTOCOL}: ${JSON.stringify(data)?.slice(0, 200)}`);
      return;
    }
    await isThere;
    if (data.ask === "subscribe") subscribe(source, origin);
    if (data.ask === "unsubscribe") subscribers.delete(source);
    try {
      const given = data.ask.endsWith("subscribe") ? {} : await answer(data);
      post(source, origin, { id: data.id, answer: data.ask, ...given });
    } catch (error) {
      post(source, origin, { id: data.id, answer: data.ask, error: String(error?.message ?? error) });
    }
  });

  /** The state that subscribers know of. */
  let before;
  function subscribe(target, origin) {
    if (subscribers.size === 0) before = ask("state");
    subscribers.set(target, origin);
  }
  /** Tells of what has changed: the state each time, the result once it is whole. */
  function follow({ type }) {
    // The depth moves with every frame, and a query takes its time.
    if (subscribers.size === 0) return;
    const query = ask("state");
    if (query !== before) tell({ event: "state", query });
    before = query;
    if (type === "normscope-result") tell({ event: "result", result: result() });
  }
  for (const type of CHANGES) window.addEventListener(type, follow);

  if (isFramed) {
    // The host need not ask: a height says nothing of it.
    const report = () => {
      const height = Math.ceil(document.body.scrollHeight);
      window.parent.postMessage({ normscope: PROTOCOL, event: "height", height }, "*");
      // What learning platforms listen to.
      window.parent.postMessage({ subject: "lti.frameResize", height }, "*");
    };
    // The first tells the host too that the page can be asked.
    isThere.then(() => new ResizeObserver(report).observe(document.body));
    // What is not seen need not move.
    new IntersectionObserver(([{ isIntersecting }]) => isIntersecting || isThere.then(() => ask("pause"))).observe(document.documentElement);
  }

  /** Shows a sentence above the charts, until it is dismissed or another comes. */
  function notice(text) {
    document.querySelector('[data-notice="told"]')?.remove();
    if (!text) return;
    const button = make("button", { type: "button" }, say("host.dismiss"));
    const box = make("div", { class: "notice", "data-notice": "told", role: "alert" }, make("p", {}, text, " ", button));
    button.addEventListener("click", () => box.remove());
    document.querySelector(".notices, main")?.prepend(box);
  }
  const failed = (error) => {
    console.warn(error);
    notice(String(error?.message ?? error));
  };

  const bringIn = async (files) => {
    const { take } = await import("./import.js");
    notice((await take(files, say, bindings)).join("; "));
  };
  function choose() {
    const input = make("input", { type: "file", accept: ".json,.csv,application/json,text/csv", multiple: "" });
    input.addEventListener("change", () => bringIn(input.files).catch(failed));
    input.click();
  }
  window.addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
  window.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    bringIn(event.dataTransfer.files).catch(failed);
  });

  /** The way to the builder, and the list of exports, in the bar. */
  function furnish(tools) {
    // Turned, a tablet has room for them in the bar.
    matchMedia("(min-width: 900px)").addEventListener("change", () => tools.matches(":popover-open") && tools.hidePopover());
    const builder = make("a", { class: "embed" }, say("host.embed"));
    const lead = () => (builder.href = `embed.html?${ask("state")}`);
    lead();
    // Before it can be followed, rather than with every depth.
    for (const type of ["pointerenter", "focus"]) builder.addEventListener(type, lead);
    const list = make("div", { class: "menu", id: "export", popover: "auto", role: "group", "aria-label": say("host.export") });
    for (const [kind, text] of Object.entries(KINDS)) {
      const item = make("button", { type: "button", "data-export": kind }, say(...text));
      item.addEventListener("click", () => {
        list.hidePopover();
        if (kind === "import") return choose();
        import("./export.js").then(({ save }) => save(kind, page)).catch(failed);
      });
      list.append(item);
    }
    const button = make("button", { class: "export", type: "button", popovertarget: "export" }, say("host.export"));
    const copy = tools.querySelector(".copy");
    copy.after(builder, button, list);
    // Where the clipboard is refused the link is there to be copied by hand.
    window.addEventListener("normscope-refused", () => {
      const field = make("input", { id: "by-hand", type: "text", readonly: "", value: result().link });
      const box = make("span", { class: "by-hand" }, make("label", { for: "by-hand" }, say("host.copy")), field);
      field.addEventListener("blur", () => box.remove());
      copy.after(box);
      field.focus();
      field.select();
    });
  }

  /** Presets of a course go into the list of presets; where they fail, the page goes on without. */
  async function offer(file) {
    const { fetchPresets } = await import("./presets.js");
    const presets = await fetchPresets(file, say);
    const group = make("optgroup", { label: say("host.presets") });
    for (const { title, query, sentence } of presets) group.append(make("option", { value: query, title: sentence }, title));
    document.querySelector('select[name="preset"]')?.append(group);
  }

  isThere.then(() => {
    const tools = document.querySelector(".tools");
    if (tools) furnish(tools);
    const file = new URLSearchParams(ask("state")).get("presets");
    if (file) offer(file).catch(failed);
  });
}

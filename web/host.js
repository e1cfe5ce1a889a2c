// What surrounds the page: the frame that it may stand in, and files that go out and come in. See docs/embedding.md for
// the messages.

/** The version of the messages. */
const PROTOCOL = 1;
/** What may be asked by message. */
const QUESTIONS = ["state", "set", "result", "picture", "keys", "play", "pause", "subscribe", "unsubscribe"];

/** Connects the page that `bindings` is the module of with what surrounds it. */
export function serve(bindings) {
  const ask = (question, text = "") => bindings.ask(question, text);
  /** The page says what it shows as soon as it is there. */
  const isThere = new Promise((done) => window.addEventListener("normscope-state", done, { once: true }));
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
        return { result: JSON.parse(ask("result")) };
      case "picture": {
        const { drawing } = await import("./export.js");
        return { svg: drawing(ask).svg };
      }
      case "keys":
        return JSON.parse(ask("keys"));
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
    if (data.ask === "subscribe") subscribers.set(source, origin);
    if (data.ask === "unsubscribe") subscribers.delete(source);
    await isThere;
    try {
      const given = data.ask.endsWith("subscribe") ? {} : await answer(data);
      post(source, origin, { id: data.id, answer: data.ask, ...given });
    } catch (error) {
      post(source, origin, { id: data.id, answer: data.ask, error: String(error?.message ?? error) });
    }
  });

  window.addEventListener("normscope-state", () => tell({ event: "state", query: ask("state") }));
  window.addEventListener("normscope-result", () => {
    if (subscribers.size > 0) tell({ event: "result", result: JSON.parse(ask("result")) });
  });

  if (isFramed) {
    // The host need not ask: a height says nothing of it.
    const report = () => {
      const height = Math.ceil(document.body.scrollHeight);
      window.parent.postMessage({ normscope: PROTOCOL, event: "height", height }, "*");
      // What learning platforms listen to.
      window.parent.postMessage({ subject: "lti.frameResize", height }, "*");
    };
    new ResizeObserver(report).observe(document.body);
    // What is not seen need not move.
    new IntersectionObserver(([{ isIntersecting }]) => isIntersecting || isThere.then(() => ask("pause"))).observe(document.documentElement);
  }

  // Presets of a course; where they fail, the page goes on without.
  isThere.then(async () => {
    const file = new URLSearchParams(ask("state")).get("presets");
    if (!file) return;
    try {
      const { fetchPresets } = await import("./presets.js");
      for (const preset of await fetchPresets(file)) {
        ask("offer", [preset.title, preset.query, preset.sentence].map((text) => text.replaceAll("\n", " ")).join("\n"));
      }
    } catch (error) {
      ask("tell", error.message);
    }
  });

  const failed = (error) => {
    console.error(error);
    ask("tell", String(error?.message ?? error));
  };
  for (const kind of ["png1", "png2", "png3", "svg", "csv", "json", "jax", "torch", "bibtex", "video"]) {
    window.addEventListener(`normscope-do-${kind}`, () => import("./export.js").then(({ save }) => save(kind, ask)).catch(failed));
  }

  const bringIn = (files) => import("./import.js").then(({ take }) => take(files, bindings)).catch(failed);
  window.addEventListener("normscope-do-import", () => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = ".json,.csv,application/json,text/csv";
    input.multiple = true;
    input.addEventListener("change", () => bringIn(input.files));
    input.click();
  });
  window.addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
  window.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    bringIn(event.dataTransfer.files);
  });
}

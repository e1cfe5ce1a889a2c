// The builder of links and frames: all keys of the table that the page reads links by, a preview, and snippets.

import { present, readTable } from "./beside.js";
import { SNIPPETS } from "./snippets.js";

const at = (selector) => document.querySelector(selector);
const frame = at("[data-preview]");
const form = at("form");
const fields = form.elements;
const home = new URL(".", location.href);
/** What is shown, without the parts of the frame. */
const OF_FRAME = ["v", "embed", "hide", "theme"];
/** Fetched while the texts arrive. */
const table = readTable();
// A failure is dealt with where it is needed.
table.catch(() => {});

/** Says a text by its name (boot.js). */
let say;
/** The language that the preview is asked for in. */
let language;
let number = 0;
const asked = new Map();

function ask(question, more = {}) {
  const id = ++number;
  return new Promise((done, failed) => {
    asked.set(id, (answer) => (answer.error ? failed(new Error(answer.error)) : done(answer)));
    frame.contentWindow.postMessage({ normscope: 1, id, ask: question, ...more }, location.origin);
  });
}

/** The query of the start state alone. */
function stateOf(query) {
  const state = new URLSearchParams(query);
  for (const key of OF_FRAME) state.delete(key);
  return plain(state);
}

/** A query with the marks that links have unescaped. */
function plain(query) {
  return query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%3B", ";").replaceAll("%7E", "~").replaceAll("%2F", "/");
}

/** The whole query: version, start state, frame. */
function whole() {
  const query = new URLSearchParams(fields.query.value.replace(/^.*\?/, ""));
  for (const key of OF_FRAME) query.delete(key);
  const hidden = [...at("[data-parts]").querySelectorAll("input:not(:checked)")].map(({ value }) => value);
  if (fields.theme.value) query.set("theme", fields.theme.value);
  if (fields.embed.checked) query.set("embed", "1");
  if (hidden.length > 0) query.set("hide", hidden.join(","));
  const text = plain(query);
  return text ? `v=1&${text}` : "";
}

/** Writes the snippet of the kind that is chosen. */
function write() {
  const kind = at("[data-kind]").value;
  const query = whole();
  const given = {
    say,
    address: `${home}${query ? `?${query}` : ""}`,
    script: new URL("norm-scope.js", home).href,
    query: fields.query.value,
    hide: new URLSearchParams(query).get("hide") ?? "",
    theme: fields.theme.value,
    width: fields.wide.value || "100%",
    height: fields.high.value || "480",
  };
  at("[data-snippet]").value = SNIPPETS[kind](given);
  at("[data-hint]").textContent = say(`beside.hint.${kind}`);
}

/** The language that a query asks for. */
const languageOf = (query) => new URLSearchParams(query).get("lang") ?? "";

/** Shows a query in the preview, and what was wrong with it. */
async function show() {
  const query = whole();
  // A language takes a new page.
  if (languageOf(query) !== language) return load(query);
  await set(query);
  write();
}

/** Sets the preview to a query, and says what was wrong with it. What the query does not frame is not framed. */
async function set(query) {
  const all = new URLSearchParams(query);
  for (const [name, none] of [["embed", "0"], ["hide", ""], ["theme", ""]]) if (!all.has(name)) all.set(name, none);
  const { notices } = await ask("set", { query: plain(all) });
  at("[data-notices]").textContent = notices.join(" ");
}

function size() {
  frame.style.setProperty("width", /^\d+$/.test(fields.wide.value) ? `${fields.wide.value}px` : fields.wide.value);
  frame.style.setProperty("height", `${fields.high.value}px`);
}

/** What a key takes, in words. */
function allowed({ integer, fraction, choice, list, models, address }) {
  const [low, high] = integer ?? fraction ?? [];
  if (integer) return say("links.integer", { low, high });
  if (fraction) return say("links.fraction", { low, high });
  if (list) return say("links.list", { words: list.join(", ") });
  if (models) return say("links.models", { most: models });
  if (address) return say("links.address", { most: address });
  return choice.join(", ");
}

function fillKeys(keys) {
  const rows = keys.map((key) => {
    const { name, choice } = key;
    const row = document.createElement("tr");
    const field = choice ? document.createElement("select") : document.createElement("input");
    if (choice) field.append(...["", ...choice].map((word) => new Option(word)));
    field.dataset.key = name;
    field.setAttribute("aria-label", name);
    field.addEventListener("change", () => {
      const query = new URLSearchParams(fields.query.value);
      if (field.value) query.set(name, field.value);
      else query.delete(name);
      fields.query.value = plain(query);
      show();
    });
    const cells = [name, field, say(`links.${name}.help`), allowed(key), key.default].map((content) => {
      const cell = document.createElement(content === name ? "th" : "td");
      cell.append(content);
      return cell;
    });
    cells[0].scope = "row";
    row.append(...cells);
    return row;
  });
  at("[data-keys]").replaceChildren(...rows);
}

function fillParts(keys) {
  const parts = keys.find(({ name }) => name === "hide").list;
  const hidden = (new URLSearchParams(location.search).get("hide") ?? "").split(",");
  const boxes = parts.map((part) => {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", value: part, checked: !hidden.includes(part) });
    box.addEventListener("change", show);
    const word = Object.assign(document.createElement("code"), { textContent: part });
    label.append(box, ` ${say(`beside.part.${part}`)} `, word);
    return label;
  });
  at("[data-parts]").replaceChildren(...boxes);
}

/** The state of the preview goes into the fields. */
function follow(query) {
  language = languageOf(query);
  fields.query.value = stateOf(query);
  const state = new URLSearchParams(query);
  for (const field of document.querySelectorAll("[data-key]")) field.value = state.get(field.dataset.key) ?? "";
  at("[data-page]").href = `.?${fields.query.value}`;
  write();
}

addEventListener("message", ({ source, origin, data }) => {
  if (source !== frame.contentWindow || origin !== location.origin || data?.normscope !== 1) return;
  if (data.event === "state") follow(data.query);
  asked.get(data.id)?.(data);
  asked.delete(data.id);
});

/** Loads the page in the preview, which answers once it is there. */
function load(query) {
  language = languageOf(query);
  frame.addEventListener("load", () => begin(query), { once: true });
  frame.src = `.?${query}`;
}

async function begin(query) {
  for (;;) {
    try {
      await Promise.race([ask("subscribe"), new Promise((_, late) => setTimeout(() => late(new Error("late")), 500))]);
      await set(query);
      follow((await ask("state")).query);
      return;
    } catch {
      // Not yet.
    }
  }
}

async function copy() {
  const snippet = at("[data-snippet]");
  try {
    await navigator.clipboard.writeText(snippet.value);
    at("[data-copied]").textContent = say("beside.copied");
  } catch {
    snippet.select();
    at("[data-copied]").textContent = say("beside.selected");
  }
}

/** Fills the page and listens to it; `words` says a text by its name. */
export async function serve(words) {
  say = words;
  const { keys } = await table;
  fillParts(keys);
  fillKeys(keys.filter(({ name }) => !OF_FRAME.includes(name)));
  frame.title = say("beside.preview");
  at("[data-kind]").append(...Object.keys(SNIPPETS).map((kind) => new Option(say(`beside.kind.${kind}`), kind)));
  at("[data-kind]").addEventListener("change", write);
  at("[data-copy]").addEventListener("click", copy);
  for (const name of ["wide", "high"]) fields[name].addEventListener("input", () => (size(), write()));
  for (const name of ["theme", "embed", "query"]) fields[name].addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  size();
  present(say);
  const start = new URLSearchParams(location.search);
  start.set("embed", "1");
  load(plain(start));
}

// Brings curves in: a JSON or CSV file as the page, its scripts and the command line write them. See docs/export.md.

import { byBlock, number } from "./series.js";

/** A quantity is a curve unless it is one of these. */
const SINGLE = /^(loss|grad_unembed|model_update(\..*)?)$/;
/** What a JSON file says of a run beside its curves. */
const ABOUT = new Set(["config", "name", "seeds", "milliseconds", "engine", "marks"]);
const MOST_MB = 20;
/** A model has no more. */
const MOST_BLOCKS = 200;

/** The first block that each statistic has a value for. */
async function readFirstBlocks() {
  return (await (await fetch(new URL("./keys.json", import.meta.url))).json()).first_blocks;
}

/** The cells of a line of CSV. */
function cells(line) {
  const found = [];
  // A quote that nothing closes is a letter as others are.
  const cell = /("(?:[^"]|"")*"(?=,|$)|[^,]*)(,|$)/y;
  for (;;) {
    const [, text, end] = cell.exec(line);
    found.push(/^".*"$/s.test(text) && text.length > 1 ? text.slice(1, -1).replaceAll('""', '"') : text.trim());
    if (end === "") return found;
  }
}

/** The models of a table; throws with the line and the reason. */
function modelsOfCsv(text, fallback, say, firstBlocks) {
  const fail = (index, name, values) => {
    throw new Error(say("host.in_line", { line: index + 1, why: say(name, values) }));
  };
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const head = cells(lines[0]);
  // The command line calls them otherwise.
  const names = new Map([["quantity", "statistic"], ["layer", "block"]]);
  const at = Object.assign(Object.create(null), Object.fromEntries(head.map((name, index) => [names.get(name) ?? name, index])));
  for (const name of ["statistic", "block", "value"]) {
    if (!(name in at)) fail(0, "host.no_column", { name, columns: head.join(", ").slice(0, 120) });
  }
  const models = new Map();
  lines.forEach((line, index) => {
    if (index === 0 || line.trim() === "") return;
    const row = cells(line);
    if (row.length !== head.length) fail(index, "host.other_cells", { count: row.length, first: head.length });
    const [statistic, block, value] = [row[at.statistic], Number(row[at.block]), number(row[at.value])];
    if (!Number.isInteger(block) || block < 0 || block > MOST_BLOCKS || row[at.block] === "") fail(index, "host.no_block", { block: row[at.block] });
    if (value === undefined) fail(index, "host.no_value", { value: row[at.value] });
    if (SINGLE.test(statistic)) return;
    const name = row[at.model] || fallback;
    const key = `${name}\n${row[at.depth] ?? ""}\n${row[at.seed] ?? ""}`;
    if (!models.has(key)) models.set(key, { name, depth: number(row[at.depth] ?? ""), curves: Object.create(null) });
    const curve = (models.get(key).curves[statistic] ??= []);
    if (curve[block] !== undefined) fail(index, "host.block_twice", { statistic, block });
    curve[block] = value;
  });
  for (const { curves } of models.values()) {
    for (const [statistic, values] of Object.entries(curves)) {
      // Blocks count from 1, states of the stream from 0.
      if (values[0] === undefined && firstBlocks[statistic] !== 0) values.shift();
    }
  }
  return [...models.values()];
}

/** The models of a JSON text; throws with the place and the reason. */
function modelsOfJson(text, fallback, say) {
  let given;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new Error(`${say("host.no_json")}: ${error.message}`);
  }
  const runs = Array.isArray(given?.runs) ? given.runs : [given];
  return runs.map((run, index) => {
    const fail = (name, values) => {
      const why = say(name, values);
      throw new Error(runs.length > 1 ? say("host.in_run", { run: index + 1, why }) : why);
    };
    if (typeof run !== "object" || run === null || Array.isArray(run)) fail("host.no_object");
    // A file may call a statistic as it likes.
    const curves = Object.create(null);
    const take = (name, values) => {
      if (!Array.isArray(values) || SINGLE.test(name)) return;
      curves[name] = values.map((value, layer) => {
        const one = number(value);
        if (one === undefined) fail("host.no_value_at", { statistic: name, index: layer, value });
        return one;
      });
    };
    for (const [name, values] of Object.entries(run)) {
      if (name === "grad_weight") {
        for (const [tensor, of] of Object.entries(values ?? {})) take(`grad_weight.${tensor}`, of);
      } else if (!ABOUT.has(name)) {
        take(name, values);
      }
    }
    return { name: String(run.name ?? fallback), depth: number(run.config?.depth ?? ""), curves };
  });
}

/** The depth that curves tell where the file does not. */
function depthOf({ depth, curves }, firstBlocks) {
  if (depth !== undefined) return depth;
  const [[name, values]] = Object.entries(curves);
  return firstBlocks[name] === 0 ? values.length - 1 : values.length;
}

/** Takes the models of files as curves to compare with. Returns what is wrong, a sentence a file of which nothing was taken. */
export async function take(files, say, bindings) {
  const fail = (name, values) => {
    throw new Error(say(name, values));
  };
  const firstBlocks = await readFirstBlocks();
  const wrong = [];
  for (const file of files) {
    let taken = 0;
    try {
      if (file.size > MOST_MB * 1e6) fail("host.too_large", { most: MOST_MB });
      const text = await file.text();
      const name = file.name.replace(/\.(json|csv)$/i, "");
      const read = /^\s*[[{]/.test(text) ? modelsOfJson : modelsOfCsv;
      const models = read(text, name, say, firstBlocks).filter((model) => Object.keys(model.curves).length > 0);
      if (models.length === 0) fail("host.no_curve");
      for (const model of models) {
        for (const [quantity, values] of Object.entries(model.curves)) {
          const missing = Array.from(values, (value) => value === undefined).indexOf(true);
          if (missing >= 0) fail("host.value_missing", { model: model.name, statistic: quantity, index: missing });
        }
      }
      for (const model of models) {
        const depth = depthOf(model, firstBlocks);
        if (!Number.isInteger(depth) || depth < 1 || depth > MOST_BLOCKS) fail("page.no_depth", { depth });
        for (const name of Object.keys(model.curves)) model.curves[name] = byBlock(name, model.curves[name], depth);
        bindings.bring(model.name.slice(0, 80), depth, model.curves);
        taken++;
      }
    } catch (error) {
      // All of a file or nothing.
      bindings.ask("drop", String(taken));
      wrong.push(`${file.name}: ${error.message ?? error}`);
    }
  }
  return wrong;
}

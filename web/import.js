// Brings curves in: a JSON or CSV file as the page, its scripts and the command line write them. See docs/export.md.

import { byBlock, number } from "./series.js";

/** A quantity is a curve unless it is one of these. */
const SINGLE = /^(loss|grad_unembed|model_update(\..*)?)$/;
/** What a JSON file says of a run beside its curves. */
const ABOUT = new Set(["config", "name", "seeds", "milliseconds", "engine", "marks"]);
/** These have a value for each state of the stream, the others for each block. */
const OF_STATES = /^(stream_rms|stream_max|grad_stream|token_cosine|grad_cosine|rank_residual)$/;
const MOST_BYTES = 20_000_000;

/** The cells of a line of CSV. */
function cells(line) {
  const found = [];
  const cell = /("(?:[^"]|"")*"|[^,]*)(,|$)/y;
  for (;;) {
    const [, text, end] = cell.exec(line) ?? [];
    if (text === undefined) return undefined;
    found.push(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text.trim());
    if (end === "") return found;
  }
}

/** The models of a table; throws with the line and the reason. */
export function modelsOfCsv(text, fallback) {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const head = cells(lines[0]) ?? [];
  // The command line calls them otherwise.
  const names = { quantity: "statistic", layer: "block" };
  const at = Object.fromEntries(head.map((name, index) => [names[name] ?? name, index]));
  for (const name of ["statistic", "block", "value"]) {
    if (!(name in at)) throw new Error(`line 1: there is no column “${name}” (columns: ${head.join(", ").slice(0, 120)})`);
  }
  const models = new Map();
  lines.slice(1).forEach((line, index) => {
    if (line.trim() === "") return;
    const fail = (why) => {
      throw new Error(`line ${index + 2}: ${why}`);
    };
    const row = cells(line);
    if (row?.length !== head.length) fail(`it has ${row?.length ?? "broken"} cells, the first line has ${head.length}`);
    const [statistic, block, value] = [row[at.statistic], Number(row[at.block]), number(row[at.value])];
    if (!Number.isInteger(block) || block < 0 || row[at.block] === "") fail(`the block “${row[at.block]}” is no whole number`);
    if (value === undefined) fail(`the value “${row[at.value]}” is no number`);
    if (SINGLE.test(statistic)) return;
    const name = row[at.model] || fallback;
    const key = `${name}\n${row[at.depth] ?? ""}\n${row[at.seed] ?? ""}`;
    if (!models.has(key)) models.set(key, { name, depth: number(row[at.depth] ?? ""), curves: {} });
    const curve = (models.get(key).curves[statistic] ??= []);
    if (curve[block] !== undefined) fail(`${statistic} has block ${block} twice`);
    curve[block] = value;
  });
  for (const { curves } of models.values()) {
    for (const [statistic, values] of Object.entries(curves)) {
      // Blocks count from 1, states of the stream from 0.
      if (values[0] === undefined && !OF_STATES.test(statistic)) values.shift();
    }
  }
  return [...models.values()];
}

/** The models of a JSON text; throws with the place and the reason. */
export function modelsOfJson(text, fallback) {
  let given;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is no JSON: ${error.message}`);
  }
  const runs = Array.isArray(given?.runs) ? given.runs : [given];
  return runs.map((run, index) => {
    const where = runs.length > 1 ? `run ${index + 1}: ` : "";
    if (typeof run !== "object" || run === null || Array.isArray(run)) throw new Error(`${where}it is no object`);
    const curves = {};
    const take = (name, values) => {
      if (!Array.isArray(values) || SINGLE.test(name)) return;
      curves[name] = values.map((value, layer) => {
        const one = number(value);
        if (one === undefined) throw new Error(`${where}${name}, value ${layer}: “${value}” is no number`);
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
function depthOf({ depth, curves }) {
  if (depth !== undefined) return depth;
  const [[name, values]] = Object.entries(curves);
  return OF_STATES.test(name) ? values.length - 1 : values.length;
}

/** Takes the models of files as curves to compare with. Returns what is wrong, a sentence a file of which nothing was taken. */
export async function take(files, bindings) {
  const wrong = [];
  for (const file of files) {
    try {
      if (file.size > MOST_BYTES) throw new Error(`it has ${file.size} bytes, more than ${MOST_BYTES}`);
      const text = await file.text();
      const name = file.name.replace(/\.(json|csv)$/i, "");
      const models = (/^\s*[[{]/.test(text) ? modelsOfJson : modelsOfCsv)(text, name).filter((model) => Object.keys(model.curves).length > 0);
      if (models.length === 0) throw new Error("there is no curve in it");
      for (const model of models) {
        for (const [quantity, values] of Object.entries(model.curves)) {
          const missing = Array.from(values, (value) => value === undefined).indexOf(true);
          if (missing >= 0) throw new Error(`${model.name}: ${quantity} lacks its value ${missing}`);
        }
      }
      for (const model of models) {
        const depth = depthOf(model);
        for (const name of Object.keys(model.curves)) model.curves[name] = byBlock(name, model.curves[name], depth);
        bindings.bring(model.name.slice(0, 80), depth, model.curves);
      }
    } catch (error) {
      wrong.push(`${file.name}: ${error.message ?? error}`);
    }
  }
  return wrong;
}

// Makes the page's WebAssembly smaller where neither the compiler nor wasm-opt can: what it asks of JavaScript gets short
// names, what it offers to nobody is dropped, and functions that are alike stand together.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { order } from "./order-functions.mjs";

const CUSTOM = 0;
const IMPORT = 2;
const EXPORT = 7;
const CODE = 10;
/** What the compiler uses beyond the first version of WebAssembly, which every browser with WebGPU has. */
const FEATURES = ["bulk-memory", "bulk-memory-opt", "multivalue", "mutable-globals", "nontrapping-float-to-int", "reference-types", "sign-ext"];
/** Streams between Rust and JavaScript: a dependency offers them, and the page has none. */
const UNUSED = /^(__wbg_)?intounderlying/;

/** Reads one section, or a file of them. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get isDone() {
    return this.at >= this.bytes.length;
  }

  /** An unsigned LEB128. */
  number() {
    let [value, shift, byte] = [0, 0, 0];
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * 2 ** shift;
      shift += 7;
    } while (byte & 128);
    return value;
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  name() {
    return this.take(this.number()).toString("utf8");
  }
}

function number(value) {
  const out = [];
  do {
    out.push((value % 128) + (value >= 128 ? 128 : 0));
    value = Math.floor(value / 128);
  } while (value > 0);
  return Buffer.from(out);
}

const name = (text) => Buffer.concat([number(Buffer.byteLength(text)), Buffer.from(text)]);
const vector = (entries) => Buffer.concat([number(entries.length), ...entries]);

/** What an import is, after its names: a function by its type, a table, a memory or a global. */
function description(reader) {
  const start = reader.at;
  const kind = reader.take(1)[0];
  const limits = () => {
    const has_maximum = reader.number() & 1;
    reader.number();
    if (has_maximum) reader.number();
  };
  if (kind === 0) reader.number();
  else if (kind === 1) reader.take(1), limits();
  else if (kind === 2) limits();
  else if (kind === 3) reader.take(2);
  else throw new Error(`an import of kind ${kind}`);
  return reader.bytes.subarray(start, reader.at);
}

/** A short name for each number: a, b, …, z, aa. */
function short(index) {
  const letter = String.fromCharCode(97 + (index % 26));
  return index < 26 ? letter : short(Math.floor(index / 26) - 1) + letter;
}

/** Replaces what must be there exactly once. */
export function put(text, from, to) {
  if (text.split(from).length !== 2) throw new Error(`there is no single ${from}`);
  return text.replace(from, () => to);
}

/** Gives what is imported short names, in the module and in the object of JavaScript that has it. */
function rename(section, script) {
  const reader = new Reader(section);
  const entries = [];
  const modules = new Map();
  for (let left = reader.number(); left > 0; left--) {
    const [module, field] = [reader.name(), reader.name()];
    if (!modules.has(module)) {
      modules.set(module, short(modules.size));
      script.text = put(script.text, `"${module}": import`, `"${modules.get(module)}": import`);
    }
    const now = short(entries.length);
    script.text = put(script.text, `\n        ${field}: function`, `\n        ${now}: function`);
    entries.push(Buffer.concat([name(modules.get(module)), name(now), description(reader)]));
  }
  return vector(entries);
}

function drop(section) {
  const reader = new Reader(section);
  const entries = [];
  for (let left = reader.number(); left > 0; left--) {
    const start = reader.at;
    const exported = reader.name();
    reader.take(1);
    reader.number();
    if (!UNUSED.test(exported)) entries.push(section.subarray(start, reader.at));
  }
  return vector(entries);
}

/** Rewrites each section of a kind, and leaves out those that no browser reads. */
function rewrite(wasm, kind, change) {
  const reader = new Reader(wasm);
  const out = [reader.take(8)];
  while (!reader.isDone) {
    const id = reader.take(1);
    const section = reader.take(reader.number());
    // Sections for tools, as the names of compilers.
    if (id[0] === CUSTOM) continue;
    const now = id[0] === kind ? change(section) : section;
    out.push(id, number(now.length), now);
  }
  return Buffer.concat(out);
}

/**
 * What a further run of wasm-opt does: what nothing reaches any more goes; loads and stores lose their word on alignment,
 * a hint that no engine of today's processors takes; locals are told apart by fewer numbers.
 */
const SWEEP = ["remove-unused-module-elements", "dealign", "coalesce-locals-learning"];

/** Runs passes of wasm-opt. */
async function optimize(wasm, passes) {
  const folder = await mkdtemp(join(tmpdir(), "normscope-"));
  try {
    const [before, after] = ["before.wasm", "after.wasm"].map((file) => join(folder, file));
    await writeFile(before, wasm);
    const flags = [...FEATURES.map((name) => `enable-${name}`), ...passes].map((flag) => `--${flag}`);
    await promisify(execFile)("wasm-opt", [before, ...flags, "-o", after]);
    return await readFile(after);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The functions of a module, each as its bytes, and how many come before them by being imported. */
function functions(wasm) {
  const found = { imported: 0, bodies: [] };
  const read = new Map([
    [IMPORT, (reader) => {
      for (let left = reader.number(); left > 0; left--) {
        reader.name(), reader.name();
        if (description(reader)[0] === 0) found.imported++;
      }
    }],
    [CODE, (reader) => {
      for (let left = reader.number(); left > 0; left--) found.bodies.push(reader.take(reader.number()));
    }],
  ]);
  const reader = new Reader(wasm.subarray(8));
  while (!reader.isDone) {
    const id = reader.take(1)[0];
    const section = new Reader(reader.take(reader.number()));
    read.get(id)?.(section);
  }
  return found;
}

/** Puts functions that are alike together: named by their places, they are set in the order of their names. */
async function reorder(wasm) {
  const { imported, bodies } = functions(wasm);
  const places = new Map(order(bodies).map((index, place) => [imported + index, String(place).padStart(6, "0")]));
  const entries = [...places].sort(([a], [b]) => a - b).map(([index, place]) => Buffer.concat([number(index), name(place)]));
  const ofFunctions = vector(entries);
  const names = Buffer.concat([name("name"), Buffer.from([1]), number(ofFunctions.length), ofFunctions]);
  return optimize(Buffer.concat([wasm, Buffer.from([CUSTOM]), number(names.length), names]), ["reorder-functions-by-name"]);
}

/** Shrinks the WebAssembly in a file; the JavaScript in another, by which it is called, follows. */
export async function shrink(wasmFile, scriptFile) {
  const script = { text: await readFile(scriptFile, "utf8") };
  const swept = await optimize(rewrite(await readFile(wasmFile), EXPORT, drop), SWEEP);
  const renamed = rewrite(await reorder(swept), IMPORT, (section) => rename(section, script));
  await writeFile(wasmFile, renamed);
  await writeFile(scriptFile, script.text);
}

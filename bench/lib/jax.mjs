// JAX on the processor, outside the browser: a Python process that is asked a line at a time.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { draw, seriesOfSquares } from "../model.mjs";

const PROGRAM = new URL("../peers/native_jax.py", import.meta.url).pathname;

/** The contender, as those of browser.mjs. */
export const NATIVE_JAX = { label: "JAX, processor, native", program: "jax", backend: "cpu" };

/** Writes the tensors of a model as native_jax.py takes them. */
async function write(folder, model) {
  const { depth, width, tokens, hidden, vocab } = model;
  const { blocks, ...tensors } = draw(model);
  const all = (name) => blocks.map((block) => block[name]);
  const list = [
    ["input", "<f4", [tokens, width], [tensors.input]],
    ["targets", "<i4", [tokens], [tensors.targets]],
    ["unembedding", "<f4", [width, vocab], [tensors.unembedding]],
    ["qkv", "<f4", [depth, width, 3 * width], all("qkv")],
    ["wo", "<f4", [depth, width, width], all("wo")],
    ["w1", "<f4", [depth, width, hidden], all("w1")],
    ["w2", "<f4", [depth, hidden, width], all("w2")],
  ];
  const bytes = list.flatMap((entry) => entry[3]).map((values) => Buffer.from(values.buffer));
  await writeFile(join(folder, "tensors.bin"), Buffer.concat(bytes));
  const header = join(folder, "tensors.json");
  await writeFile(header, JSON.stringify({ heads: model.heads, tensors: list.map((entry) => entry.slice(0, 3)) }));
  return header;
}

/** The Python that has JAX; an error that says why there is none. */
function python() {
  const folder = process.env.NORMSCOPE_JAX_DIR;
  if (!folder) throw new Error("NORMSCOPE_JAX_DIR is not set: source scripts/env.sh");
  const program = join(folder, "bin", "python");
  if (existsSync(program)) return program;
  const failed = `${folder}.failed`;
  const reason = existsSync(failed) ? readFileSync(failed, "utf8").trim() : "run scripts/setup.sh test";
  throw new Error(`not installed: ${reason}`);
}

/** Opens it with all weights of the model, as `enter` of browser.mjs does. */
export async function enterJax(model) {
  const program = python();
  const folder = await mkdtemp(join(tmpdir(), "normscope-bench-"));
  const child = spawn(program, [PROGRAM, await write(folder, model)], { stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (text) => (errors += text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(errors.trim().split("\n").at(-1) || "JAX ended without a word");
    return JSON.parse(value);
  };
  const close = async () => {
    child.stdin.end();
    await rm(folder, { recursive: true, force: true });
  };
  let answer;
  try {
    answer = await next();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    time: async (depth) => {
      child.stdin.write(`${depth}\n`);
      answer = await next();
      return answer.milliseconds;
    },
    series: async () => seriesOfSquares(answer.values, model),
    close,
  };
}

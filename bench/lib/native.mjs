// The native part, bench/native: built by cargo where it has to be, asked once a call.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ROOT } from "../../e2e/browser.mjs";
import { query } from "../model.mjs";

const CARGO = "run --quiet --locked --offline --profile native --example native --features cli,gpu --".split(" ");

async function ask(...given) {
  const { stdout } = await promisify(execFile)("cargo", [...CARGO, ...given], { cwd: ROOT, maxBuffer: 1 << 26 });
  return JSON.parse(stdout);
}

/** Rate of a plain product, time of a dispatch and of a readback, on the best adapter. */
export const bounds = () => ask("bounds");

/** Times of passes of these models. */
export const passes = (samples, models) => ask("passes", String(samples), ...models.map(query));

/** Times of the steps of each kernel of a model's pass alone, beside the whole. */
export const kernels = (samples, shape) => ask("kernels", String(samples), query(shape));

/** All depths of a model from one on to another: by sweeps, and by a pass each. */
export const atlas = (from, to, shape) => ask("atlas", String(from), String(to), query(shape));

/** Bytes that the plans of these models say they need. */
export const memory = (models) => ask("memory", ...models.map(query));

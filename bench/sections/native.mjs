// Native passes on the best Vulkan adapter, against what bounds them: a plain product's rate, and per dispatch and
// readback what an empty one takes.

import * as native from "../lib/native.mjs";
import { spread } from "../lib/statistics.mjs";
import { digits, range, table } from "../lib/table.mjs";
import { flops, model } from "../model.mjs";

const DEPTHS = [24, 96, 192];
const WIDTHS = [64, 128, 256];
const TOKENS = [32, 128];
const SAMPLES = 5;
/** The pass that is taken apart. */
const APART = "200x64x32x4";
const APART_SAMPLES = 9;
/** Larger passes are left out: a processor takes minutes for the samples of one. */
const MOST_FLOPS = 3e10;

export const title = "Native passes against their bound";

export async function run(say) {
  say("bounds of the adapter");
  const bounds = await native.bounds();
  const shapes = DEPTHS.flatMap((depth) => WIDTHS.flatMap((width) => TOKENS.map((tokens) => [depth, width, tokens])));
  const models = shapes.map((shape) => model([...shape, 4].join("x"))).filter((shape) => flops(shape) <= MOST_FLOPS);
  say(`passes of ${models.length} models`);
  const { adapter, runs } = await native.passes(SAMPLES, models);
  const passes = runs.map(({ steps, bytes, first_ms, steady_ms }, i) => {
    const count = flops(models[i]);
    const steady = spread(steady_ms);
    const arithmetic_ms = count / bounds.best_product.gflops / 1e6;
    const bound_ms = arithmetic_ms + (steps * bounds.dispatch_us) / 1e3 + bounds.readback_ms;
    return {
      name: models[i].name,
      flops: count,
      steps,
      bytes,
      first_ms,
      steady_ms: steady,
      gflops: count / steady.median / 1e6,
      bound_ms,
      share: bound_ms / steady.median,
    };
  });
  say(`${APART}, kernel by kernel`);
  const taken = await native.kernels(APART_SAMPLES, model(APART));
  const kernels = taken.kernels.map(({ ms, ...kernel }) => ({ ...kernel, ms: spread(ms) }));
  return { adapter, bounds, left_out_past_flops: MOST_FLOPS, passes, apart: { name: APART, kernels } };
}

/** A line for each kernel, the slowest first; the first of the kernels is the whole pass. */
function showApart({ name, kernels }) {
  const [whole, ...parts] = kernels;
  const sum = parts.reduce((total, part) => total + part.ms.median, 0);
  const lines = parts
    .toSorted((a, b) => b.ms.median - a.ms.median)
    .map(({ kernel, steps, flops, ms }) => [
      kernel,
      steps,
      range(ms),
      digits(flops / ms.median / 1e6),
      `${Math.round((100 * ms.median) / sum)} %`,
    ]);
  const header = ["kernel", "steps", "alone, ms", "GFLOP/s", "share of the sum"];
  const head = `${name} taken apart: the whole ${range(whole.ms)} ms, the steps of each kernel alone ${digits(sum)} ms in all.`;
  return `${head}\n\n${table(header, lines)}`;
}

export function show({ adapter, bounds, passes, apart }) {
  const { rows, inner, columns, gflops } = bounds.best_product;
  const overheads = `${digits(bounds.dispatch_us)} us a dispatch and ${digits(bounds.readback_ms)} ms to read back`;
  const product = `the best of plain products, ${rows} x ${inner} x ${columns}`;
  const rate = `${adapter}. The bound: ${digits(gflops)} GFLOP/s (${product}), ${overheads}.`;
  const lines = passes.map((pass) => [
    pass.name,
    digits(pass.flops / 1e9),
    pass.steps,
    range(pass.steady_ms),
    digits(pass.gflops),
    digits(pass.bound_ms),
    `${Math.round(100 * pass.share)} %`,
  ]);
  const header = ["L x D x T x H", "GFLOP", "steps", "steady, ms", "GFLOP/s", "bound, ms", "share of the bound"];
  return `${rate}\n\n${table(header, lines)}\n\n${showApart(apart)}`;
}

export function summary({ adapter, bounds, passes }) {
  const rates = passes.map((pass) => pass.gflops);
  const shares = passes.map((pass) => Math.round(100 * pass.share));
  const [least, most, best] = [Math.min(...rates), Math.max(...rates), bounds.best_product.gflops].map(digits);
  const rate = `${least} to ${most} of ${best} GFLOP/s`;
  const share = `${Math.min(...shares)} to ${Math.max(...shares)} % of the bound`;
  return [[`native passes of ${passes.length} models on ${adapter}`, `${rate}, ${share}`]];
}

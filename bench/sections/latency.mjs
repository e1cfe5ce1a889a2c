// A depth never seen before against the same depth again, through the page's module.

import { enter, launch, NORMSCOPE } from "../lib/browser.mjs";
import { spread } from "../lib/statistics.mjs";
import { digits, range, table } from "../lib/table.mjs";
import { model } from "../model.mjs";

const WARM_UPS = 3;
/** The walk along the slider: each depth is new, then again. */
const DEEPER = [24, 36, 48, 72, 96, 120, 144, 168, 192];
const SHALLOWER = [180, 156, 132, 108, 84, 60, 42, 30, 18];
const AGAIN = 5;

export const title = "A new depth against the same depth again";

/** Walks along depths: the first time of each, the times after it, and the median of their ratios. */
async function walk(runner, depths, say) {
  const steps = [];
  for (const depth of depths) {
    say(`depth ${depth}`);
    const fresh_ms = await runner.time(depth);
    const again = [];
    for (let i = 0; i < AGAIN; i++) again.push(await runner.time(depth));
    const again_ms = spread(again);
    steps.push({ depth, fresh_ms, again_ms, ratio: fresh_ms / again_ms.median });
  }
  return { steps, ratio: spread(steps.map((step) => step.ratio)) };
}

export async function run(say) {
  const browser = await launch();
  try {
    const runner = await enter(browser, NORMSCOPE, model(`200x64x32x4`));
    for (let i = 0; i < WARM_UPS; i++) await runner.time(6);
    const deeper = await walk(runner, DEEPER, say);
    const shallower = await walk(runner, SHALLOWER, say);
    await runner.close();
    return { width: 64, tokens: 32, heads: 4, deeper, shallower };
  } finally {
    await browser.close();
  }
}

export function show({ deeper, shallower }) {
  const rows = [
    ["deeper", deeper],
    ["shallower", shallower],
  ].flatMap(([way, { steps, ratio }]) => [
    ...steps.map((step) => [way, step.depth, digits(step.fresh_ms), range(step.again_ms), digits(step.ratio)]),
    [way, "all", "", "", range(ratio)],
  ]);
  return table(["", "depth", "new, ms", "again, ms", "new / again"], rows);
}

export function summary({ deeper, shallower }) {
  const value = `deeper ${range(deeper.ratio)}, shallower ${range(shallower.ratio)} times`;
  return [["a depth never seen before against the same depth again", value]];
}

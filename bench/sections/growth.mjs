// How the time of a pass grows with depth and width: exponents fitted to steady passes, natively and in the browser.

import { enter, launch, NORMSCOPE } from "../lib/browser.mjs";
import * as native from "../lib/native.mjs";
import { exponent, spread } from "../lib/statistics.mjs";
import { digits, range, table } from "../lib/table.mjs";
import { flops, model } from "../model.mjs";

const SWEEPS = [
  { letter: "L", names: [12, 24, 48, 96, 192].map((depth) => `${depth}x64x32x4`), of: ({ depth }) => depth },
  { letter: "D", names: [32, 64, 128, 256].map((width) => `24x${width}x32x4`), of: ({ width }) => width },
];
const WARM_UPS = 2;
const SAMPLES = 5;

export const title = "Growth";

async function inBrowser(models, say) {
  const browser = await launch();
  try {
    const times = [];
    for (const shape of models) {
      say(`browser: ${shape.name}`);
      const runner = await enter(browser, NORMSCOPE, shape);
      const samples = [];
      for (let i = 0; i < WARM_UPS + SAMPLES; i++) samples.push(await runner.time(shape.depth));
      times.push(spread(samples.slice(WARM_UPS)));
      await runner.close();
    }
    return times;
  } finally {
    await browser.close();
  }
}

export async function run(say) {
  const sweeps = [];
  for (const { letter, names, of } of SWEEPS) {
    const models = names.map(model);
    say(`native: ${letter}`);
    const { adapter, runs } = await native.passes(SAMPLES, models);
    const times = { native: runs.map((run) => spread(run.steady_ms)), browser: await inBrowser(models, say) };
    const fit = (values) => exponent(models.map((shape, i) => [of(shape), values[i]]));
    const exponents = {
      native: fit(times.native.map((time) => time.median)),
      browser: fit(times.browser.map((time) => time.median)),
      flops: fit(models.map((shape) => flops(shape))),
    };
    sweeps.push({ letter, adapter, names, native_ms: times.native, browser_ms: times.browser, exponents });
  }
  return { sweeps };
}

export function show({ sweeps }) {
  const rows = sweeps.flatMap(({ letter, names, native_ms, browser_ms, exponents }) => [
    ...names.map((name, i) => [letter, name, range(native_ms[i]), range(browser_ms[i]), "-"]),
    [letter, "exponent", exponents.native.toFixed(2), exponents.browser.toFixed(2), exponents.flops.toFixed(2)],
  ]);
  return table(["in", "L x D x T x H", "native, ms", "browser, ms", "arithmetic"], rows);
}

export function summary({ sweeps }) {
  return sweeps.map(({ letter, exponents }) => {
    const power = (of) => `${letter}^${exponents[of].toFixed(2)}`;
    const value = `${power("native")} natively, ${power("browser")} in the browser; its arithmetic ${power("flops")}`;
    return [`growth of a pass in ${letter}`, value];
  });
}

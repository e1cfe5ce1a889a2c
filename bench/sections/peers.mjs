// The same model on Normscope and its peers: first call, steady state and a depth never seen before.

import { enter, IN_BROWSER, launch, NORMSCOPE } from "../lib/browser.mjs";
import { enterJax, NATIVE_JAX } from "../lib/jax.mjs";
import { spread } from "../lib/statistics.mjs";
import { digits, range, table } from "../lib/table.mjs";
import { difference, model, query } from "../model.mjs";

const CONFIGURATIONS = ["6x64x32x4", "24x64x32x4", "100x64x32x4", "200x64x32x4"];
const WARM_UPS = 3;
const SAMPLES = 15;
/** Depths never seen before; shallower, so that everyone has all weights. */
const NEW_DEPTHS = 3;
/** What numbers may be apart, relatively. */
const TOLERANCE = 1e-3;
/** KiB; the thread's own stack is larger. */
const LARGE_STACK = 7000;

export const title = "Peers, side by side";

/** Makes a contender ready: opens it, takes its first pass, and compares what it returned with ours. */
async function ready(contender, enterIt, shape, ours) {
  const entry = { contender, row: { label: contender.label } };
  try {
    entry.runner = await enterIt();
    entry.row.first_ms = await entry.runner.time(shape.depth);
    entry.series = await entry.runner.series();
    if (ours) {
      entry.row.difference = difference(entry.series, ours);
      if (!(entry.row.difference <= TOLERANCE)) throw new Error(`other numbers: off by ${entry.row.difference}`);
    }
  } catch (error) {
    await entry.runner?.close();
    entry.runner = undefined;
    // A browser puts its own words before those of the page.
    entry.row.error = error.message.replace(/^page\.\w+: /, "").split("\n")[0].slice(0, 160);
  }
  return entry;
}

/** Samples of everyone in turn, every other round backwards. */
async function race(entries, depth, rounds) {
  const samples = new Map(entries.map((entry) => [entry, []]));
  for (let round = 0; round < rounds; round++) {
    for (const entry of round % 2 ? [...entries].reverse() : entries) {
      if (entry.row.error) continue;
      try {
        samples.get(entry).push(await entry.runner.time(depth));
      } catch (error) {
        entry.row.error = error.message.split("\n")[0].slice(0, 160);
      }
    }
  }
  return samples;
}

/** One configuration, in a browser of its own: no pipeline of another one is at hand. */
async function compare(name, say) {
  const shape = model(name);
  const browser = await launch();
  const roomy = await launch([`--js-flags=--stack-size=${LARGE_STACK}`]);
  const entries = [];
  try {
    let ours;
    for (const contender of IN_BROWSER) {
      say(`${name}: ${contender.label}`);
      const entry = await ready(contender, () => enter(browser, contender, shape), shape, ours);
      if (contender === NORMSCOPE) {
        if (entry.row.error) throw new Error(entry.row.error);
        ours = entry.series;
      }
      entries.push(entry);
      if (/call stack/i.test(entry.row.error ?? "")) {
        const again = { ...contender, label: `${contender.label}, stack of ${LARGE_STACK} KiB` };
        say(`${name}: ${again.label}`);
        entries.push(await ready(again, () => enter(roomy, again, shape), shape, ours));
      }
    }
    say(`${name}: ${NATIVE_JAX.label}`);
    entries.push(await ready(NATIVE_JAX, () => enterJax(shape), shape, ours));

    const running = entries.filter((entry) => entry.runner);
    say(`${name}: ${WARM_UPS} + ${SAMPLES} samples of ${running.length}`);
    await race(running, shape.depth, WARM_UPS);
    const samples = await race(running, shape.depth, SAMPLES);
    for (const [entry, values] of samples) if (!entry.row.error) entry.row.steady_ms = spread(values);

    say(`${name}: new depths`);
    for (let i = 1; i <= NEW_DEPTHS; i++) {
      for (const [entry, [value]] of await race(running, shape.depth - i, 1)) (entry.newDepths ??= []).push(value);
    }
    for (const entry of running) if (!entry.row.error) entry.row.new_depth_ms = spread(entry.newDepths);
    return { name, query: query(shape), rows: entries.map((entry) => entry.row) };
  } finally {
    for (const entry of entries) await entry.runner?.close();
    await browser.close();
    await roomy.close();
  }
}

export async function run(say) {
  const configurations = [];
  for (const name of CONFIGURATIONS) configurations.push(await compare(name, say));
  return { warm_ups: WARM_UPS, samples: SAMPLES, tolerance: TOLERANCE, configurations };
}

export function show({ configurations }) {
  const lines = configurations.flatMap(({ name, rows }) => {
    const ours = rows[0].steady_ms?.median;
    return rows.map((row) => {
      if (row.error) return [name, row.label, row.error, "-", "-", "-", "-"];
      const ratio = `${digits(row.steady_ms.median / ours)}x`;
      const times = [range(row.steady_ms), ratio, digits(row.first_ms), range(row.new_depth_ms)];
      return [name, row.label, ...times, row.difference?.toExponential(0) ?? "-"];
    });
  });
  const columns = ["steady, ms", "against Normscope", "first call, ms", "new depth, ms", "numbers off by"];
  return table(["L x D x T x H", "", ...columns], lines);
}

// What a pass asks of WebGPU, counted in the browser: the first of a depth, the same again, and a new depth.

import { enter, IN_BROWSER, launch } from "../lib/browser.mjs";
import { bytes, digits, table } from "../lib/table.mjs";
import { model } from "../model.mjs";

const NAME = "24x64x32x4";
const COUNTED = ["dispatches", "passes", "submits", "pipelines", "bindGroups", "buffers", "bytesWritten", "bytesRead"];

export const title = "Calls of WebGPU, counted";

export async function run(say) {
  const shape = model(NAME);
  const browser = await launch();
  try {
    const contenders = [];
    for (const contender of IN_BROWSER.filter(({ backend }) => backend === "webgpu")) {
      say(contender.label);
      const runner = await enter(browser, contender, shape, { counted: true });
      let before = await runner.counts();
      const passes = {};
      // What is kept settles after two passes, so the third counts as the same again.
      const { depth } = shape;
      for (const [pass, of] of Object.entries({ first: depth, second: depth, again: depth, "new depth": depth - 1 })) {
        await runner.time(of);
        const after = await runner.counts();
        const calls = Object.fromEntries(COUNTED.map((name) => [name, after[name] - before[name]]));
        if (pass !== "second") passes[pass] = calls;
        before = after;
      }
      await runner.close();
      contenders.push({ label: contender.label, passes, dispatches_per_block: passes.again.dispatches / depth });
    }
    return { name: NAME, contenders };
  } finally {
    await browser.close();
  }
}

export function show({ contenders }) {
  const rows = contenders.flatMap(({ label, passes }) =>
    Object.entries(passes).map(([pass, counts]) => [
      label,
      pass,
      ...COUNTED.map((name) => (name.startsWith("bytes") ? bytes(counts[name]) : counts[name])),
    ]),
  );
  const names = ["dispatches", "passes", "submits", "pipelines", "bind groups", "buffers", "written", "read back"];
  return table(["", "pass", ...names], rows);
}

export function summary({ contenders }) {
  const program = ({ label }) => label.split(",")[0];
  const of = (value) => contenders.map((contender) => `${program(contender)} ${value(contender)}`).join(", ");
  return [
    ["dispatches a block, forward and backward", of((contender) => digits(contender.dispatches_per_block))],
    ["submits of a pass", of(({ passes }) => passes.again.submits)],
    ["pipelines made for a new depth", of(({ passes }) => passes["new depth"].pipelines)],
    ["bind groups made for a pass seen before", of(({ passes }) => passes.again.bindGroups)],
  ];
}

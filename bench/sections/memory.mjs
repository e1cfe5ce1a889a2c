// Memory of the device: what a plan says beforehand against the buffers that the browser was asked for.

import { enter, launch, NORMSCOPE } from "../lib/browser.mjs";
import * as native from "../lib/native.mjs";
import { bytes, digits, table } from "../lib/table.mjs";
import { model } from "../model.mjs";

const NAMES = ["6x64x32x4", "24x64x32x4", "200x64x32x4", "24x256x128x4", "96x256x32x4"];

export const title = "Memory, predicted and held";

export async function run(say) {
  const models = NAMES.map(model);
  const { bytes: planned } = await native.memory(models);
  const browser = await launch();
  try {
    const runs = [];
    for (const [i, shape] of models.entries()) {
      say(shape.name);
      const runner = await enter(browser, NORMSCOPE, shape, { counted: true });
      await runner.time(shape.depth);
      const { bytesHeldAsStorage: storage, bytesHeld: all, bytesHeldAtMost: most } = await runner.counts();
      await runner.close();
      runs.push({ name: shape.name, planned: planned[i], storage, all, most });
    }
    return { runs };
  } finally {
    await browser.close();
  }
}

export function show({ runs }) {
  const rows = runs.map(({ name, planned, storage, all, most }) => [
    name,
    bytes(planned),
    bytes(all),
    (all / planned).toFixed(3),
    bytes(all - storage),
    bytes(most),
  ]);
  const columns = ["planned", "held after a pass", "held / planned", "of that uniforms and readback", "most at once"];
  return table(["L x D x T x H", ...columns], rows);
}

export function summary({ runs }) {
  const off = runs.map(({ planned, all }) => Math.abs(all / planned - 1));
  const largest = digits(100 * Math.max(...off));
  return [[`memory of ${runs.length} models, held against planned`, `${largest} % apart at most`]];
}

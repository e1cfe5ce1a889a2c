// What a pass asks of WebGPU, counted in the browser. (Times are for `make bench`; counts are the same on any machine.)

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, settled } from "./browser.mjs";
import { countGpu, hideGpu } from "./counters.mjs";

const SHAPE = "width=32&heads=2&tokens=16&batch=1";

let browser;
let page;

before(async () => {
  browser = await open();
  // The page computes without WebGPU, and all that is counted is `measure`'s.
  page = await browser.page("placement=pre&depth=1&width=16&tokens=2&batch=1", {}, [countGpu, hideGpu]);
  await settled(page);
  await page.evaluate(() => globalThis.showGpu());
});
after(() => browser?.close());

/** The calls of one pass. */
async function calls(query) {
  return await page.evaluate(async (query) => {
    const tag = document.querySelector("script[data-js]");
    const { measure } = await import(new URL(tag.dataset.js, document.baseURI));
    const before = globalThis.gpuCounts();
    const run = JSON.parse(await measure(query));
    const after = globalThis.gpuCounts();
    if (run.engine !== "gpu") throw new Error(`the engine was ${run.engine}`);
    return Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]));
  }, query);
}

test("depth is data: no pass after a placement's first makes a pipeline", { timeout: 120_000 }, async () => {
  const first = await calls(`placement=pre&depth=12&${SHAPE}`);
  assert.ok(first.pipelines > 0, "the first pass finds a device without pipelines");
  const other = await calls(`placement=post&depth=12&${SHAPE}`);
  assert.ok(other.pipelines < first.pipelines, "it needs but few that the first has not");
  for (const query of ["placement=pre&depth=13", "placement=pre&depth=48", "placement=post&depth=7", "placement=pre&depth=200"]) {
    assert.equal((await calls(`${query}&${SHAPE}`)).pipelines, 0, query);
  }
});

test("the same pass again makes nothing and is one submit", { timeout: 120_000 }, async () => {
  // A width that no pass before it had.
  const query = "placement=pre&depth=24&width=48&heads=4&tokens=24&batch=1";
  const first = await calls(query);
  assert.ok(first.bindGroups > 0 && first.buffers > 0 && first.bytesHeld > 0, "the first pass needs buffers");
  const again = await calls(query);
  assert.deepEqual([again.pipelines, again.bindGroups, again.buffers], [0, 0, 0]);
  assert.equal(again.bytesHeld, 0);
  assert.equal(again.passes, 1);
  assert.equal(again.submits, 1);
  assert.ok(again.dispatches < first.dispatches, "weights are kept");
});

test("what comes back grows by a few numbers a block", { timeout: 120_000 }, async () => {
  const [short, long] = [await calls(`placement=pre&depth=24&${SHAPE}`), await calls(`placement=pre&depth=48&${SHAPE}`)];
  const perBlock = (long.bytesRead - short.bytesRead) / 24;
  assert.ok(perBlock > 0 && perBlock <= 400, `${perBlock} bytes a block`);
});

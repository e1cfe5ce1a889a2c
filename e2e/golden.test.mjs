// Every golden run on the browser's WebGPU: the same comparison as tests/engines_golden.rs makes natively.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { open, ROOT, settled } from "./browser.mjs";

const FOLDER = join(ROOT, "tests", "golden");
const GOLDEN = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(join(FOLDER, name), "utf8")));

let browser;
let page;

before(async () => {
  browser = await open();
  // Little of its own to compute: the test wants the device.
  page = await browser.page("placement=pre&depth=1&width=16&tokens=2&batch=1");
  await settled(page);
});
after(() => browser?.close());

/** The series of a run by name, each an array of numbers. */
function series(run) {
  const plain = ["loss", "stream_rms", "stream_max", "token_cosine", "update_ratio", "grad_stream", "grad_unembed"];
  const pairs = plain.map((name) => [name, [run[name]].flat().map(Number)]);
  for (const [name, values] of Object.entries(run.grad_weight)) pairs.push([`grad_weight.${name}`, values.map(Number)]);
  return new Map(pairs);
}

/** What is off by more than t |f64| + 20 max |f32 - f64| over the 3 entries each side. */
function failures(golden, run) {
  const t = golden.config.depth <= 48 ? 2e-3 : 5e-3;
  const [want, single, got] = [series(golden), series(golden.f32), series(run)];
  const out = [];
  for (const [name, values] of want) {
    assert.equal(got.get(name)?.length, values.length, `length of ${name}`);
    values.forEach((wanted, i) => {
      const near = values.map((value, j) => (Math.abs(j - i) <= 3 ? Math.abs(single.get(name)[j] - value) : 0));
      // Where all tokens of the memory are the same, no score of the cross-attention matters.
      const isZero = /c[qk]$/.test(name) && golden.config.memory_cos === 1;
      const rest = Math.abs(wanted) < 1e-30 ? 1e-28 : t * Math.abs(wanted) + 20 * Math.max(...near);
      const bound = isZero ? 64 * 2 ** -23 * Math.max(...want.get("grad_weight.cv")) : rest;
      const value = got.get(name)[i];
      // Written so that NaN fails.
      if (!(Math.abs(value - wanted) <= bound)) out.push(`${name}[${i}]: got ${value}, want ${wanted} within ${bound}`);
    });
  }
  return out;
}

assert.equal(GOLDEN.length, 40, "golden runs");
for (const golden of GOLDEN) {
  test(`golden run ${golden.query}`, { timeout: 300_000 }, async () => {
    const text = await page.evaluate(async (query) => {
      const tag = document.querySelector("script[data-js]");
      const { measure } = await import(new URL(tag.dataset.js, document.baseURI));
      return measure(query);
    }, golden.query);
    const run = JSON.parse(text);
    assert.equal(run.engine, "gpu");
    assert.deepEqual(failures(golden, run), []);
  });
}

test("a query with a bad value is refused by name", async () => {
  const message = await page.evaluate(async () => {
    const tag = document.querySelector("script[data-js]");
    const { measure } = await import(new URL(tag.dataset.js, document.baseURI));
    return measure("depth=900").then(() => "accepted", (error) => String(error));
  });
  assert.match(message, /depth.*900/);
});

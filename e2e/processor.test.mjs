// Without WebGPU: the page says so, names browsers that have it, and computes on the processor.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { open, ROOT, settled } from "./browser.mjs";

test("without WebGPU the processor computes the same numbers", { timeout: 240_000 }, async () => {
  const site = await open({ webgpu: false });
  try {
    const page = await site.page("depth=6");
    await settled(page, 240_000);
    assert.match(await page.locator('[data-status="who"]').textContent(), /^Processor/);
    assert.match(await page.locator('[data-notice="webgpu"]').textContent(), /no WebGPU.*Chrome.*Safari.*Firefox/);
    assert.equal(await page.locator("[data-announcer]").getAttribute("data-engine"), "cpu");
    await page.locator('[data-chart="gradient"] [data-option="table"]').click();
    const got = await page.locator('[data-chart="gradient"] tbody tr').evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll("data")].map((data) => Number(data.value))),
    );
    for (const [column, placement] of ["post", "pre"].entries()) {
      const run = JSON.parse(await readFile(join(ROOT, "tests", "golden", `${placement},depth-6.json`), "utf8"));
      run.grad_weight.w2.forEach((exact, i) => {
        assert.ok(Math.abs(got[i][column] / exact - 1) < 2e-3, `${placement} block ${i + 1}: ${got[i][column]}, not ${exact}`);
      });
    }
    await page.locator('[data-notice="webgpu"] button').click();
    assert.equal(await page.locator(".notice").count(), 0);
    assert.deepEqual(page.errors, []);
  } finally {
    await site.close();
  }
});

// While passes run: how far they are, their end before its time, and a page that answers all the while.

import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "./browser.mjs";
import { SLOW, onPage, site } from "./pages.mjs";

/** Tasks of the main thread past this are felt. */
const LONGEST_MS = 50;

/** Counts what the page asks of the device, before the page does. */
function counting() {
  const counts = (window.deviceCounts = { createComputePipeline: 0, createBindGroup: 0, submit: 0, mapAsync: 0 });
  for (const [type, name] of [[GPUDevice, "createComputePipeline"], [GPUDevice, "createBindGroup"], [GPUQueue, "submit"], [GPUBuffer, "mapAsync"]]) {
    const original = type.prototype[name];
    type.prototype[name] = function (...rest) {
      counts[name]++;
      return original.apply(this, rest);
    };
  }
}

const depth = (page) => page.locator(".depth .figure b").textContent();
const press = async (page, ...keys) => {
  await page.locator(".slider input").focus();
  for (const key of keys) await page.keyboard.press(key);
};

/** Waits until nothing is left to be made ready. */
const idle = (page) => page.waitForFunction(() => performance.getEntriesByName("normscope:ready").length > 0, null, { timeout: SLOW });

onPage("the first curves wait for their own kernels, and later ones for none", "depth=6&width=32&placement=pre", { prepare: counting }, async (page) => {
  const [first] = await page.evaluate(() => performance.getEntriesByName("normscope:first-curves").map(({ startTime, duration }) => ({ startTime, duration })));
  assert.equal(first.startTime, 0);
  assert.ok(first.duration > 0);
  const device = await page.evaluate(() => performance.getEntriesByName("normscope:device")[0].startTime);
  assert.ok(0 < device && device < first.duration);
  await idle(page);
  const all = (await page.evaluate(() => window.deviceCounts)).createComputePipeline;
  const marks = await page.evaluate(() =>
    performance.getEntriesByType("mark").map(({ name }) => /^normscope:pipelines:(\d+)$/.exec(name)).filter(Boolean).map(([, count]) => Number(count)),
  );
  assert.ok(marks[0] < all, `${marks} of ${all}: the first curves waited for all kernels`);
  assert.equal(marks.at(-1), all);

  // Every kind of model after that makes none.
  for (const query of ["placement=peri&norm=rmsnorm&qk_norm=head", "placement=residual&act=swiglu&cross=1&causal=1", "placement=none&qk_norm=full&depth=12"]) {
    await page.evaluate((query) => {
      history.pushState(null, "", `?depth=6&width=32&${query}`);
      dispatchEvent(new PopStateEvent("popstate", { state: null }));
    }, query);
    await settled(page, SLOW);
    await page.waitForSelector(".reading", { timeout: SLOW });
  }
  assert.equal((await page.evaluate(() => window.deviceCounts)).createComputePipeline, all);
});

onPage("a short run is one submit and one readback", "depth=6&width=32&placement=pre", { prepare: counting }, async (page) => {
  await idle(page);
  const before = await page.evaluate(() => ({ ...window.deviceCounts }));
  // The step of training waits for 300 ms of rest, and is stopped by the next depth.
  await press(page, "ArrowRight");
  await page.waitForFunction(() => document.querySelector('[data-announcer]').dataset.settled === "true" && document.querySelector(".depth .figure b").textContent === "7", null, { timeout: SLOW, polling: 5 });
  const after = await page.evaluate(() => ({ ...window.deviceCounts }));
  assert.equal(after.submit - before.submit, 1);
  assert.equal(after.mapAsync - before.mapAsync, 1);
  assert.equal(after.createComputePipeline, before.createComputePipeline);
  assert.match(await page.locator('[data-status="cost"]').textContent(), /dispatches, 1 submit, \d+ MiB$/);
});

/** Asks for a configuration as back and forward do. */
const go = (page, query) =>
  page.evaluate((query) => {
    history.pushState(null, "", `?${query}`);
    dispatchEvent(new PopStateEvent("popstate", { state: null }));
  }, query);

onPage("a run that ends after its time is not shown", "depth=6&placement=pre,post", {}, async (page) => {
  const known = ["depth=6&placement=pre,post", "depth=6&placement=pre,post&norm=rmsnorm"];
  const text = () => page.locator("[aria-label=Readings]").textContent();
  const readings = [];
  for (const query of known) {
    await go(page, query);
    await settled(page, SLOW);
    readings.push(await text());
  }
  for (let i = 0; i < 12; i++) {
    await go(page, `depth=${7 + (i % 4)}&placement=pre,post&norm=rmsnorm&seed=${i}`);
    await page.waitForTimeout(7 * i);
    // Both are at hand, and are shown while the run for the new one still goes on.
    for (const query of known) await go(page, query);
    await page.waitForTimeout(300);
    assert.equal(await page.locator("[data-announcer]").getAttribute("data-settled"), "true", `round ${i}`);
    assert.equal(await text(), readings[1], `round ${i}`);
  }
});

// Wide enough that 200 blocks take many times the second past which a run is long, on a fast machine too.
onPage("a long run shows how far it is and can be cancelled by keyboard", "depth=6&placement=pre&width=256&engine=reference", {}, async (page) => {
  assert.equal(await page.locator(".work").count(), 0);
  await press(page, "End");
  const work = page.locator(".work");
  await work.waitFor({ timeout: SLOW });
  assert.match(await work.textContent(), /^Pre-LN: \d+ of 200 blocks/);
  assert.match(await page.locator('p[role="status"]', { hasText: "Cancel" }).textContent(), /more than a second.*Cancel/);
  await page.waitForFunction(() => /[1-9]\d* of 200 blocks, about \d+ (s|min) left/.test(document.querySelector(".work")?.textContent), null, { timeout: SLOW });

  // What has finished stays, and says of which depth it is.
  assert.match(await page.locator(".reading").textContent(), /6 blocks/);
  await work.getByRole("button", { name: "Cancel" }).focus();
  await page.keyboard.press("Enter");
  await work.waitFor({ state: "detached" });
  const notice = page.locator('[data-notice="stopped"]');
  assert.match(await notice.textContent(), /^Cancelled after \d+ of 200 blocks\. What was computed before is kept\./);
  assert.equal(await notice.getAttribute("role"), "status");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Run again");
  assert.equal(await page.locator(".status .running").count(), 0, "nothing runs");
  assert.equal(await page.locator("[data-announcer]").getAttribute("data-settled"), "false");
  assert.equal(await depth(page), "200");

  await page.keyboard.press("Enter");
  await notice.waitFor({ state: "detached" });
  await work.waitFor({ timeout: SLOW });
  // A newer request ends the old one, and is done at once.
  await press(page, "Home");
  await settled(page, SLOW);
  assert.equal(await work.count(), 0);
});

for (const engine of ["gpu", "cpu"]) {
  onPage(`the page answers while passes run: ${engine}`, `depth=24&engine=${engine}`, {}, async (page) => {
    await page.waitForTimeout(3000);
    await page.evaluate(() => {
      window.longTasks = [];
      new PerformanceObserver((list) => {
        for (const { startTime, duration } of list.getEntries()) window.longTasks.push([Math.round(startTime), Math.round(duration)]);
      }).observe({ type: "longtask" });
    });
    // The device shares the cores with the page here, and what runs for the first time is compiled then: a task that is
    // long by itself is long in every round.
    const rounds = [];
    do {
      await page.evaluate(() => window.longTasks.splice(0));
      const from = await page.evaluate(() => performance.now());
      for (const key of ["PageUp", "ArrowRight", "PageDown", "ArrowLeft", "Home", "PageUp"]) {
        await press(page, key);
        await page.waitForTimeout(150);
      }
      await settled(page, SLOW);
      // Deep, and of a seed that no round had: nothing of it is at hand.
      await go(page, `depth=${200 - rounds.length}&engine=${engine}&seed=${rounds.length}`);
      await page.waitForTimeout(300);
      await settled(page, SLOW);
      await page.waitForTimeout(1500);
      rounds.push((await page.evaluate(() => window.longTasks)).map(([at, took]) => `${took} ms after ${Math.round(at - from)}`));
      await go(page, `depth=24&engine=${engine}&seed=${rounds.length}`);
      await settled(page, SLOW);
    } while (rounds.at(-1).length > 0 && rounds.length < 3);
    assert.deepEqual(rounds.at(-1), [], `main-thread tasks past ${LONGEST_MS} ms, in each of ${rounds.length} rounds: ${JSON.stringify(rounds)}`);
  });
}

test("a run whose numbers pass 32 bits starts, and ends when it is cancelled", { timeout: SLOW }, async () => {
  // 1024 rows times 12 · 2²⁰ weights is 2³² and more.
  const page = await site.page("placement=pre&depth=2&width=1024&tokens=256&batch=4");
  try {
    await page.locator(".work button").waitFor({ timeout: SLOW });
    await page.locator(".work button").click();
    await page.waitForFunction(() => /[Cc]ancelled/.test(document.querySelector("main").textContent), null, { timeout: SLOW });
    // Nothing has been measured, and nothing is under way.
    assert.equal(await page.locator('[data-chart="stream"] .plot').getAttribute("aria-valuetext"), "not measured yet");
    assert.deepEqual(page.errors, []);
  } finally {
    await page.context().close();
  }
});

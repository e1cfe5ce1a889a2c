// Models of every depth at once, in a real browser: small models and shallow ones, for the processor computes them all.

import assert from "node:assert/strict";
import { href, settled } from "./browser.mjs";
import { SLOW, onPage } from "./pages.mjs";

const SHALLOWEST = 6;
const DEEPEST = 20;
const DEPTHS = DEEPEST - SHALLOWEST + 1;
const MODEL = "width=16&heads=2&tokens=4&batch=1";
const QUERY = `view=atlas&placement=post,pre&${MODEL}&deepest=${DEEPEST}`;

/** Counts what is submitted to the device. */
function countSubmits() {
  window.submits = 0;
  const submit = GPUQueue.prototype.submit;
  GPUQueue.prototype.submit = function (...rest) {
    window.submits++;
    return submit.apply(this, rest);
  };
}

const sweep = (page) => page.locator(".sweep");
const missing = async (page) => Number(await sweep(page).getAttribute("data-missing"));
const reaches = (page, state) => page.waitForSelector(`.sweep[data-sweep="${state}"]`, { timeout: SLOW });
const measureAll = async (page) => {
  await sweep(page).getByRole("button").click();
  await reaches(page, "done");
};
const map = (page, placement) => page.locator(`.panel[data-placement="${placement}"] .map`);
const spoken = (page, placement) => map(page, placement).getAttribute("aria-valuetext");

/** A single pass through the page's module: the JSON of the command line. */
async function single(page, query) {
  const text = await page.evaluate(async (query) => {
    const tag = document.querySelector("script[data-js]");
    const { measure } = await import(new URL(tag.dataset.js, document.baseURI));
    return measure(query);
  }, query);
  return JSON.parse(text);
}

/** Numbers of a table by placement, and what the rows count. */
async function table(page, name) {
  const toggle = page.locator(`.atlas-tables [data-option="${name}"]`);
  if ((await toggle.getAttribute("aria-pressed")) === "false") await toggle.click();
  return page.locator(".atlas .table table").evaluate((element) => {
    const names = [...element.querySelectorAll("thead th[data-placement]")].map((cell) => cell.dataset.placement);
    const rows = [...element.querySelectorAll("tbody tr")];
    const value = (row, column) => row.querySelectorAll("td")[column].querySelector("data")?.value ?? null;
    return {
      rows: rows.map((row) => Number(row.querySelector("th").textContent)),
      ...Object.fromEntries(names.map((name, column) => [name, rows.map((row) => Number(value(row, column)))])),
    };
  });
}

function near(got, want, what) {
  assert.equal(got.length, want.length, what);
  got.forEach((value, i) => assert.ok(Math.abs(value - want[i]) <= 2e-3 * Math.abs(want[i]), `${what}[${i}]: ${value}, not ${want[i]}`));
}

/** How many pixels of a layer are drawn. */
const drawn = (page, placement, layer) =>
  page.locator(`.panel[data-placement="${placement}"] canvas[data-layer="${layer}"]`).evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colors = new Set();
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] === 0) continue;
      count++;
      colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    }
    return { count, colors: colors.size };
  });

onPage("an atlas is measured, stopped and gone on with, and then the slider costs no pass", QUERY, { prepare: countSubmits }, async (page) => {
  assert.equal(await missing(page), 2 * DEPTHS);
  assert.match(await sweep(page).locator(".cost").textContent(), new RegExp(`^${DEPTHS} depths of 2 placements, (about|under) `));
  const empty = await drawn(page, "post", "cells");

  // Stopped in the page itself, as soon as some models are there: from outside it might be over before.
  await page.evaluate((all) => {
    const [sweep, observed] = [document.querySelector(".sweep"), { subtree: true, childList: true, attributes: true }];
    new MutationObserver((_, observer) => {
      if (Number(sweep.dataset.missing) >= all - 3) return;
      observer.disconnect();
      [...sweep.querySelectorAll("button")].find((button) => button.textContent.trim() === "Stop").click();
    }).observe(sweep, observed);
  }, 2 * DEPTHS);
  await sweep(page).getByRole("button", { name: "Measure every depth" }).click();
  await reaches(page, "part");
  assert.equal(await sweep(page).getAttribute("data-sweep"), "part");
  // A pass that was under way may still come.
  await page.waitForTimeout(1500);
  const left = await missing(page);
  assert.ok(left > 0 && left < 2 * DEPTHS, `${left} left`);
  assert.match(await sweep(page).locator(".cost").textContent(), new RegExp(`^${left} of ${2 * DEPTHS} models left`));
  await page.waitForTimeout(700);
  assert.equal(await missing(page), left, "nothing runs");
  assert.ok((await drawn(page, "post", "cells")).colors > empty.colors, "what is there is drawn");

  // The other views lose nothing.
  await page.locator(".views a", { hasText: "Claims" }).click();
  await page.locator(".views a", { hasText: "Atlas" }).click();
  assert.equal(await missing(page), left);

  await sweep(page).getByRole("button", { name: "Measure the rest" }).click();
  await reaches(page, "done");
  assert.equal(await missing(page), 0);
  assert.equal(await sweep(page).getByRole("button").count(), 0);

  // Explore: every depth of the atlas is at hand.
  await page.locator(".views a", { hasText: "Explore" }).click();
  await page.locator(".slider input").focus();
  await page.keyboard.press("Home");
  await settled(page);
  // What rests is asked for its one-step update, which no atlas has.
  await page.waitForFunction(() => document.querySelector("[data-update]") !== null, null, { timeout: SLOW });
  await page.waitForTimeout(1500);
  const { submits, depth } = await page.evaluate(async () => {
    const thumb = document.querySelector(".slider input");
    const before = window.submits;
    for (let i = 0; i < 5; i++) {
      thumb.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      // Two frames: far less than the rest after which an update is looked for.
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      if (document.querySelector("[data-announcer]").dataset.settled !== "true") throw new Error("not settled");
    }
    return { submits: window.submits - before, depth: document.querySelector(".depth .figure b").textContent };
  });
  assert.deepEqual({ submits, depth }, { submits: 0, depth: String(SHALLOWEST + 5) });
  assert.equal(await page.locator('[data-status="time"]').textContent(), "from the atlas");
  assert.equal(await page.locator('[data-status="cost"]').textContent(), "0 dispatches");

  // Of several seeds the first is the atlas's.
  await page.locator('input[name="seeds"]').fill("2");
  await page.locator('input[name="seeds"]').press("Enter");
  await settled(page, SLOW);
  assert.match(await page.locator('[data-status="time"]').textContent(), /^2 passes/);
  assert.notEqual(await page.locator('[data-status="cost"]').textContent(), "0 dispatches");
});

onPage("cells are the values of single passes", QUERY, { prepare: countSubmits }, async (page) => {
  await measureAll(page);
  for (const depth of [SHALLOWEST, 13, DEEPEST]) {
    const url = new URL(page.url());
    url.searchParams.set("depth", depth);
    await page.evaluate((url) => history.pushState(null, "", url), url.href);
    await page.evaluate(() => dispatchEvent(new PopStateEvent("popstate")));
    const row = await table(page, "row");
    assert.deepEqual(row.rows, Array.from({ length: depth }, (_, i) => i + 1));
    for (const placement of ["post", "pre"]) {
      const run = await single(page, `placement=${placement}&${MODEL}&depth=${depth}`);
      near(row[placement], run.grad_weight.w2, `${placement} at ${depth}`);
    }
  }
  // A column, of the stream: states are counted from 0.
  await page.locator('.atlas select[name="statistic"]').selectOption("stream_rms");
  const column = await table(page, "column");
  assert.deepEqual(column.rows, Array.from({ length: DEPTHS }, (_, i) => SHALLOWEST + i));
  const run = await single(page, `placement=pre&${MODEL}&depth=13`);
  near([column.pre[13 - SHALLOWEST]], [run.stream_rms[1]], "stream of Pre-LN after block 1");
});

onPage("the panels are worked by keyboard alone", `${QUERY}&depth=8`, { prepare: countSubmits }, async (page) => {
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement.closest(".sweep button") !== null)) break;
  }
  await page.keyboard.press("Enter");
  await reaches(page, "done");
  for (let i = 0; i < 10; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement.matches(".map"))) break;
  }
  assert.equal(await page.evaluate(() => document.activeElement.closest(".panel").dataset.placement), "post");
  assert.match(await spoken(page, "post"), /^(level|falls|rises)/);
  await page.keyboard.press("ArrowRight");
  assert.match(await spoken(page, "post"), /^depth 8, block 1: \d/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  assert.match(await spoken(page, "post"), /^depth 9, block 2: \d/);
  assert.match(await spoken(page, "pre"), /^depth 9, block 2: \d/, "all panels have the probe");
  await page.keyboard.press("End");
  assert.match(await spoken(page, "post"), /^depth 9, block 9: \d/);
  await page.keyboard.press("PageDown");
  assert.match(await spoken(page, "post"), new RegExp(`^depth ${DEEPEST}, block 9: `));
  await page.keyboard.press("ArrowDown");
  assert.match(await spoken(page, "post"), new RegExp(`^depth ${DEEPEST}, block 9: `), "no model is deeper");
  const run = await single(page, `placement=post&${MODEL}&depth=${DEEPEST}`);
  const value = Number(/: ([\d.]+)$/.exec(await spoken(page, "post"))[1]);
  assert.ok(Math.abs(value / run.grad_weight.w2[8] - 1) < 0.06, `${value}, not ${run.grad_weight.w2[8]}`);

  await page.keyboard.press("Enter");
  assert.match(await href(page), new RegExp(`depth=${DEEPEST}`));
  assert.match(await href(page), /view=atlas/);
  assert.match(await page.locator('[data-option="column"]').textContent(), /block 9/);
  assert.ok((await drawn(page, "pre", "over")).count > 100, "the probe is drawn");
  await page.keyboard.press("Escape");
  assert.equal((await drawn(page, "pre", "over")).count, 0);
});

onPage("a press on a row chooses its depth, and the link has all of it", `${QUERY}&depth=8&statistic=stream_rms`, { prepare: countSubmits }, async (page) => {
  await measureAll(page);
  const box = await map(page, "pre").boundingBox();
  const cells = page.locator('.panel[data-placement="pre"] canvas[data-layer="cells"]');
  // The middle of the row of depth 17, a few blocks in.
  const y = await cells.evaluate((canvas, row) => {
    const { data } = canvas.getContext("2d").getImageData(60, 0, 1, canvas.height);
    const rows = [...Array(canvas.height).keys()].filter((y) => data[4 * y + 3] > 0);
    return rows[0] + (row + 0.5) * (rows.length / 15);
  }, 17 - SHALLOWEST);
  await page.mouse.move(box.x + 70, box.y + y);
  assert.match(await spoken(page, "pre"), /^depth 17, block \d: /);
  await page.mouse.click(box.x + 70, box.y + y);
  assert.match(await href(page), /depth=17/);
  assert.match(await href(page), /view=atlas/);
  await page.mouse.move(10, 10);
  assert.match(await spoken(page, "pre"), /^rises from 1\.\d+ to /);

  const url = page.url();
  await page.goto(url);
  await settled(page, SLOW);
  assert.equal(page.url(), url);
  assert.equal(await page.locator('.atlas select[name="statistic"]').inputValue(), "stream_rms");
  assert.equal(await page.locator('.atlas input[name="deepest"]').inputValue(), String(DEEPEST));
  assert.equal(await page.locator(".panel").count(), 2);
  await page.locator(".views a", { hasText: "Explore" }).click();
  assert.equal(await page.locator(".depth .figure b").textContent(), "17");
  await page.goBack();
  assert.equal(await page.locator(".panel").count(), 2);
});

onPage("another model is measured only when asked, and its sweep drops the other's", QUERY, { prepare: countSubmits }, async (page) => {
  await sweep(page).getByRole("button").click();
  await page.waitForFunction((all) => Number(document.querySelector(".sweep").dataset.missing) < all, 2 * DEPTHS, { timeout: SLOW });
  // A placement that is switched off is dropped alone.
  await page.locator('.atlas .chip[data-placement="post"]').click();
  await reaches(page, "done");
  assert.equal(await page.locator(".panel").count(), 1);
  await page.locator('.atlas .chip[data-placement="sandwich"]').click();
  assert.equal(await sweep(page).getAttribute("data-sweep"), "part");
  assert.equal(await missing(page), DEPTHS);

  await sweep(page).getByRole("button").click();
  await reaches(page, "running");
  const deepest = page.locator('.atlas input[name="deepest"]');
  await deepest.fill("12");
  await deepest.press("Enter");
  await page.waitForTimeout(1500);
  assert.notEqual(await sweep(page).getAttribute("data-sweep"), "running");
  const left = await missing(page);
  await page.waitForTimeout(1000);
  assert.equal(await missing(page), left, "nothing goes on");
  await settled(page, SLOW);
});

for (const [width, height] of [[360, 640], [390, 844], [600, 480], [768, 1024], [1440, 900], [2560, 1440]]) {
  onPage(`the atlas holds at ${width} x ${height}`, `${QUERY}&depth=6`, { prepare: countSubmits, viewport: { width, height } }, async (page) => {
    const { scroll, inner } = await page.evaluate(() => ({ scroll: document.scrollingElement.scrollWidth, inner: innerWidth }));
    assert.ok(scroll <= inner, `${scroll} px wide`);
    for (const placement of ["post", "pre"]) assert.ok((await drawn(page, placement, "cells")).count > 5000);
    const small = await page.locator(".atlas :is(button, select, summary):visible").evaluateAll((list, width) => {
      const least = width < 900 ? 44 : 24;
      const size = (element) => (element.closest(".pick, .choice") ?? element).getBoundingClientRect();
      return list.filter((e) => size(e).height < Math.min(least, 40) && !e.closest(".choice")).map((e) => e.outerHTML.slice(0, 80));
    }, width);
    assert.deepEqual(small, []);
  });
}

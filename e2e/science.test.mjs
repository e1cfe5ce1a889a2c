// Placements, statistics, seeds, theory and claims on the page, in a real browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT, href, settled } from "./browser.mjs";
import { SLOW, onPage, site } from "./pages.mjs";

const golden = (name) => JSON.parse(readFileSync(join(ROOT, "tests", "golden", `${name}.json`), "utf8"));

/** The values of a chart's table, one placement's column after the other. */
async function columns(page, chart) {
  await page.locator(`[data-chart="${chart}"] [data-option="table"]`).click();
  return page.locator(`[data-chart="${chart}"] table`).evaluate((element) => {
    const rows = [...element.querySelectorAll("tbody tr")];
    const count = rows[0].querySelectorAll("td").length;
    return Array.from({ length: count }, (_, i) =>
      rows.map((row) => Number(row.querySelectorAll("td")[i].querySelector("data").value)),
    );
  });
}

function near(got, want, share, what) {
  assert.equal(got.length, want.length, what);
  got.forEach((value, i) => assert.ok(Math.abs(value - want[i]) <= share * Math.abs(want[i]), `${what}[${i}]: ${value}, ${want[i]}`));
}

onPage("later placements are drawn", "placement=residual,keel&depth=24", {}, async (page) => {
  const [, keel] = await columns(page, "gradient");
  near(keel, golden("keel,depth-24").grad_weight.w2, 5e-3, "keel");
  assert.equal(await page.locator(".more-placements").getAttribute("open"), "");
  assert.equal(await page.locator('.chip[data-placement="keel"]').getAttribute("aria-checked"), "true");
});

onPage("with cross-attention to one memory Post-LN's gradient does vanish", "placement=post&depth=24&cross=1", {}, async (page) => {
  const [post] = await columns(page, "gradient");
  near(post, golden("post,depth-24,cross-1").grad_weight.w2, 5e-3, "post");
  assert.ok(post[0] < 1e-2 * post.at(-1));
});

onPage("one step of training is told", "placement=post&depth=6", {}, async (page) => {
  await page.locator(".compare summary").click();
  const cell = page.locator('[data-update="post"] data');
  await cell.waitFor({ timeout: 60_000 });
  near([Number(await cell.getAttribute("value"))], [golden("post,depth-6").model_update.sgd], 1e-2, "update");
});

onPage("several seeds are a median with its middle half", "placement=post&depth=6&seeds=3", {}, async (page) => {
  const [median] = await columns(page, "gradient");
  const band = await page.locator('[data-chart="gradient"] tbody tr:first-child td small').textContent();
  const [low, high] = band.split(" to ").map(Number);
  assert.ok(low <= median[0] && median[0] <= high, `${low} ${median[0]} ${high}`);
  const runs = [0, 1, 2].map((seed) => `placement=post&depth=6&seed=${seed}`);
  const each = await page.evaluate(async (queries) => {
    const tag = document.querySelector("script[data-js]");
    const { measure } = await import(new URL(tag.dataset.js, document.baseURI));
    const out = [];
    for (const query of queries) out.push(JSON.parse(await measure(query)).grad_weight.w2[0]);
    return out;
  }, runs);
  near([median[0]], [each.sort((a, b) => a - b)[1]], 1e-5, "median");
});

onPage("statistics have their own scale", "placement=pre&depth=6&statistic=token_cosine", {}, async (page) => {
  assert.equal(await page.locator('[data-chart="gradient"] [data-option="linear"]').getAttribute("aria-pressed"), "true");
  assert.match(await page.locator(".reading .say").textContent(), /W2’s gradient/);
  const [cosine] = await columns(page, "gradient");
  near(cosine.slice(1), golden("pre,depth-6").token_cosine.slice(1), 2e-3, "cosine");
  await page.locator('select[name="statistic"]').selectOption("max_logit");
  assert.match(await page.locator('[data-chart="gradient"] h2').textContent(), /Largest attention score/);
  assert.match(await href(page), /statistic=max_logit/);
});

onPage("theory says where it holds and how far the measurement is from it", "placement=pre&depth=12", {}, async (page) => {
  await page.locator(".theory summary").click();
  const entries = page.locator(".theory li");
  assert.ok((await entries.count()) >= 4);
  const lemma = page.locator('.theory li[data-overlay="Lemma 2, upper"]');
  assert.match(await lemma.textContent(), /Measured 0\.\d+ times it in block 12\..*Xiong et al\. 2020, arXiv:2002\.04745, Lemma 2/s);
  await page.locator('input[name="theory"]').uncheck();
  assert.match(await href(page), /theory=0/);
});

onPage("a preset is a configuration, its source and what it leaves out", "", {}, async (page) => {
  await page.locator('select[name="preset"]').selectOption("gpt-2");
  await settled(page, SLOW);
  assert.match(await page.locator("[data-preset]").textContent(), /Radford.*Left out:/s);
  assert.match(await href(page), /residual_scale=gpt2/);
  await page.goBack();
  assert.equal(await page.locator("[data-preset]").count(), 0);
});

onPage("a claim is measured where it stands", "view=claims&claim=31&guide=a&topic=stream", {}, async (page) => {
  const row = page.locator('[data-claim="C31"]');
  assert.match(await row.locator(".sources").textContent(), /arXiv:/);
  await row.locator(".measured button").click();
  const finding = row.locator("[data-finding]");
  await finding.waitFor({ timeout: SLOW });
  assert.equal(await finding.getAttribute("data-finding"), "does-not-hold");
  assert.match(await row.locator(".verdict").textContent(), /Does not hold.*measured now/s);
  // What was measured, as curves of both placements, named from top to bottom.
  assert.equal(await row.locator(".evidence .line").count(), 2);
  assert.deepEqual(await row.locator(".evidence .names span").allTextContents(), ["Sandwich-LN", "Pre-LN"]);
  assert.match(await row.locator(".evidence .axis").textContent(), /Residual stream, by block/);

  await page.locator('select[name="verdict"]').selectOption("holds");
  assert.match(await href(page), /verdict=holds/);
  const verdicts = await page.locator("[data-verdict]").evaluateAll((all) => all.map((one) => one.dataset.verdict));
  // The claim that is opened stays in sight.
  assert.ok(verdicts.every((verdict) => verdict === "holds" || verdict === "does-not-hold"), verdicts.join());

  await row.locator(".show").click();
  await settled(page, SLOW);
  assert.equal(await page.locator(".app").isVisible(), true);
  await page.goBack();
  assert.equal(await row.isVisible(), true);
});

onPage("what a claim says in numbers is drawn beside what was measured", "view=claims&claim=16&guide=a&topic=stream", {}, async (page) => {
  const row = page.locator('[data-claim="C16"]');
  await row.locator(".measured button").click();
  await row.locator("[data-finding]").waitFor({ timeout: SLOW });
  assert.deepEqual(await row.locator(".evidence .names span").allTextContents(), ["Post-LN, He", "claimed", "Post-LN"]);
  const height = (selector) => row.locator(selector).first().evaluate((path) => path.getBBox().y);
  const [he, claimed] = [await height(".evidence .line"), await height(".evidence .back")];
  assert.ok(he < claimed, `${he} ${claimed}`);
});

const ARCHITECTURE = "view=claims&guide=a&topic=architecture";

onPage("what is in sight is measured while the page is idle, and nothing moves", ARCHITECTURE, { prepare: () => {
  window.shifts = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shifts += value))).observe({ type: "layout-shift", buffered: true });
} }, async (page) => {
  const seen = page.locator('[data-claim="C1"] [data-finding]');
  await seen.waitFor({ timeout: SLOW });
  await page.locator('[data-claim="C9"] [data-finding]').waitFor({ timeout: SLOW });
  assert.ok((await page.evaluate(() => window.shifts)) <= 0.02, `${await page.evaluate(() => window.shifts)}`);
  // What is not in sight waits until it is.
  const out = page.locator("article.claim:has(.measured button)").last();
  const [id, place] = [await out.getAttribute("data-claim"), await out.boundingBox()];
  assert.ok(place.y > 900, `${id} is in sight`);
  const last = page.locator(`[data-claim="${id}"]`);
  await last.scrollIntoViewIfNeeded();
  await last.locator("[data-finding]").waitFor({ timeout: SLOW });
});

onPage("nothing is measured unasked once a run was stopped, and what is asked for goes first", "view=claims&guide=a&topic=stream", {}, async (page) => {
  const stop = page.locator(".filters .plain");
  await page.locator('[data-claim="C13"] .measured button[aria-disabled]').waitFor({ timeout: SLOW });
  // It gives way to what somebody asks for.
  await page.locator('[data-claim="C16"] .measured button').click();
  await page.locator('[data-claim="C16"] [data-finding]').waitFor({ timeout: SLOW });
  assert.equal(await page.locator('[data-claim="C13"] [data-finding]').count(), 0);
  await page.waitForFunction(() => /Stop/.test(document.querySelector(".filters .plain").textContent), null, { timeout: SLOW });
  await stop.click();
  await page.waitForFunction(() => !/Stop/.test(document.querySelector(".filters .plain").textContent), null, { timeout: SLOW });
  await page.waitForTimeout(3000);
  assert.equal(await page.locator(".measured button[aria-disabled]").count(), 0);
  assert.equal(await page.locator("[data-finding]").count(), 1);
});

onPage("on a phone nothing is measured unasked", ARCHITECTURE, { viewport: { width: 390, height: 844 } }, async (page) => {
  await page.waitForTimeout(3000);
  assert.equal(await page.locator("[data-finding]").count(), 0);
});

onPage("what needs training or reading says so", "view=claims&claim=4", {}, async (page) => {
  assert.match(await page.locator('[data-claim="C4"]').textContent(), /Needs training/);
  assert.match(await page.locator('[data-claim="C2"]').textContent(), /Cannot be measured here.*No source found/s);
  assert.equal(await page.locator("article.claim").count(), 90);
});

test("claims hold on a phone", { timeout: SLOW }, async () => {
  const page = await site.page("view=claims&claim=17", { viewport: { width: 390, height: 844 } });
  await settled(page, SLOW);
  const { scroll, inner } = await page.evaluate(() => ({ scroll: document.scrollingElement.scrollWidth, inner: innerWidth }));
  assert.ok(scroll <= inner, `${scroll} px wide`);
  const small = await page.locator("button:visible, summary:visible").evaluateAll((list) =>
    list.filter((element) => element.getBoundingClientRect().height < 40).map((element) => element.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(small, []);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

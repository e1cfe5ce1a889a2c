// What charts can show of several models: kept ones, ratios, the share of depth, a chart a model; and the parts of a block.

import assert from "node:assert/strict";
import { href, settled } from "./browser.mjs";
import { SLOW, onPage } from "./pages.mjs";

const MODEL = "width=16&heads=2&tokens=4&batch=1";

/** A chart's table: the heads of its models and a list of values for each. */
async function table(page, chart) {
  const toggle = page.locator(`[data-chart="${chart}"] [data-option="table"]`);
  if ((await toggle.getAttribute("aria-pressed")) === "false") await toggle.click();
  const read = await page.locator(`[data-chart="${chart}"] table`).evaluate((element) => {
    const heads = [...element.querySelectorAll("thead th[data-placement]")].map((head) => head.textContent.trim());
    const rows = [...element.querySelectorAll("tbody tr")];
    const column = (index) => rows.map((row) => row.querySelectorAll("td")[index].querySelector("data")?.value).filter((value) => value !== undefined);
    return { heads, columns: heads.map((_, index) => column(index).map(Number)) };
  });
  await toggle.click();
  return read;
}

const picture = (page, chart, layer) => page.locator(`[data-chart="${chart}"] canvas[data-layer="${layer}"]`).evaluate((canvas) => canvas.toDataURL());
const near = (got, wanted, what) => {
  assert.equal(got.length, wanted.length, what);
  got.forEach((value, index) => assert.ok(Math.abs(value - wanted[index]) <= 1e-12 * Math.abs(wanted[index]), `${what} ${index}: ${value}, not ${wanted[index]}`));
};

/** A number as the page writes it: three digits, two below 1. */
const three = (value) => value.toPrecision(value >= 1 ? 3 : 2);

onPage("a kept model is drawn, named and looked at beside the others", `placement=post,pre&depth=8&${MODEL}`, {}, async (page) => {
  const before = await table(page, "gradient");
  await page.goto(await href(page) + "&pin=post;depth:6;width:16;heads:2;tokens:4;batch:1");
  await settled(page, SLOW);
  const { heads, columns } = await table(page, "gradient");
  assert.deepEqual(heads, ["Post-LN", "Pre-LN", "A: Post-LN, 6 blocks"]);
  assert.deepEqual(columns.slice(0, 2), before.columns);
  assert.equal(columns[2].length, 6);
  const plot = page.locator('[data-chart="gradient"] .plot');
  await plot.focus();
  await page.keyboard.press("Home");
  assert.match(await plot.getAttribute("aria-valuetext"), /Post-LN [\d.]+, Pre-LN [\d.]+, A [\d.]+/);
  // The kept one ends before the others do.
  await page.keyboard.press("End");
  assert.match(await plot.getAttribute("aria-valuetext"), /Post-LN [\d.]+, Pre-LN [\d.]+$/);
});

for (const [relation, of] of [["ratio", (value, base) => value / base], ["difference", (value, base) => value - base]]) {
  onPage(`curves are a ${relation} to the first model, and to the first kept one`, `placement=post,pre&depth=8&${MODEL}`, {}, async (page) => {
    const [post, pre] = (await table(page, "stream")).columns;
    await page.locator(".compare summary").click();
    await page.locator('select[name="relation"]').selectOption(relation);
    await settled(page, SLOW);
    assert.match(await href(page), new RegExp(`relation=${relation}`));
    const one = await table(page, "stream");
    assert.deepEqual(one.heads, ["Pre-LN"]);
    near(one.columns[0], pre.map((value, block) => of(value, post[block])), "to Post-LN");
    assert.match(await page.locator('[data-chart="stream"] .unit').textContent(), /RMS, (divided by|less) that of Post-LN/);
    // A difference has no logarithm, and a ratio no other scale.
    assert.ok(await page.locator('[data-chart="stream"] [data-option="log"]').isHidden());
    assert.equal(await page.locator(".theory li").count() > 0, true);

    await page.getByRole("button", { name: "Keep these models" }).click();
    await page.locator(".slider input").focus();
    await page.keyboard.press("ArrowRight");
    await settled(page, SLOW);
    const two = await table(page, "stream");
    assert.deepEqual(two.heads, ["Post-LN", "Pre-LN", "B: Pre-LN, 8 blocks"]);
    near(two.columns[2], pre.map((value, block) => of(value, post[block])), "of what is kept");
    assert.equal(two.columns[1].length, 9, "as far as the kept model goes");
    const plot = page.locator('[data-chart="stream"] .plot');
    await plot.focus();
    await page.keyboard.press("Escape");
    assert.match(await plot.getAttribute("aria-valuetext"), /has nothing to compare with after block 8/);
  });
}

onPage("over the share of depth, models of different depths end together", `placement=pre&depth=8&pin=pre;depth:4;width:16;heads:2;tokens:4;batch:1&along=share&${MODEL}`, {}, async (page) => {
  const { columns } = await table(page, "stream");
  const plot = page.locator('[data-chart="stream"] .plot');
  const [left, right] = await plot.evaluate((element) => [element.getBoundingClientRect().left, element.getBoundingClientRect().right]);
  const box = await plot.boundingBox();
  // To the right of every value, but within the labels' reach of the end: the last block of both.
  let said = "";
  for (let x = right - 60; x > left + 60 && !/Pre-LN/.test(said); x -= 4) {
    await page.mouse.move(x, box.y + box.height / 2);
    said = (await page.locator('[data-chart="stream"] canvas[data-layer="over"]').evaluate((canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0)))
      ? await plot.getAttribute("aria-valuetext") : "";
  }
  assert.ok(said.includes(`Pre-LN ${three(columns[0].at(-1))}`) && said.includes(`A ${three(columns[1].at(-1))}`), said);
  await plot.focus();
  await page.keyboard.press("Home");
  for (let block = 0; block < 4; block++) await page.keyboard.press("ArrowRight");
  // Half way through both: block 4 of 8, and block 2 of 4.
  said = await plot.getAttribute("aria-valuetext");
  assert.ok(said.includes(`Pre-LN ${three(columns[0][4])}`) && said.includes(`A ${three(columns[1][2])}`), said);
});

onPage("each chart shows the statistic that is chosen for it", `placement=post,pre&depth=8&${MODEL}`, {}, async (page) => {
  const gradient = (await table(page, "gradient")).columns;
  await page.locator('[data-chart="stream"] select').selectOption("grad_weight.w2");
  await page.locator('[data-chart="gradient"] select').selectOption("token_cosine");
  await settled(page, SLOW);
  assert.deepEqual((await table(page, "stream")).columns, gradient);
  assert.match(await href(page), /first_statistic=grad_weight.w2&statistic=token_cosine/);
  assert.equal(await page.locator('[data-chart="stream"] [data-option="log"]').getAttribute("aria-pressed"), "true");
  await page.goBack();
  await page.goBack();
  await settled(page, SLOW);
  assert.match(await page.locator('[data-chart="stream"] h2').textContent(), /Residual stream/);
});

onPage("each model has charts of its own, on the axes of all", `placement=post,pre,none&depth=8&${MODEL}`, {}, async (page) => {
  const together = await table(page, "gradient");
  await page.locator(".compare summary").click();
  await page.locator('select[name="multiples"]').selectOption("1");
  await settled(page, SLOW);
  const plots = page.locator('[data-chart="gradient"] .plot');
  assert.equal(await plots.count(), 3);
  const names = await plots.evaluateAll((list) => list.map((plot) => plot.getAttribute("aria-label")));
  assert.deepEqual(names.map((name) => name.split(": ").at(-1)), ["Post-LN", "Pre-LN", "No norm"]);
  assert.deepEqual(await table(page, "gradient"), together);
  // The probe is in all of them.
  await plots.nth(1).focus();
  await page.keyboard.press("Home");
  for (const [index, name] of ["Post-LN", "Pre-LN", "No norm"].entries()) assert.match(await plots.nth(index).getAttribute("aria-valuetext"), new RegExp(`${name} [\\d.]+`));
});

onPage("an axis holds still until it is fitted", `placement=pre&depth=24&${MODEL}`, {}, async (page) => {
  await page.locator(".slider input").focus();
  for (let i = 0; i < 10; i++) await page.keyboard.press("ArrowLeft");
  await settled(page, SLOW);
  const held = await picture(page, "stream", "back");
  const fit = page.locator('[data-chart="stream"] [data-option="fit"]');
  await fit.click();
  await page.waitForTimeout(500);
  const fitted = await picture(page, "stream", "back");
  assert.notEqual(fitted, held);
  await fit.click();
  await page.waitForTimeout(500);
  assert.equal(await picture(page, "stream", "back"), fitted);
});

onPage("a large page is drawn as sharp, and its probe is under the pointer", `placement=pre&depth=12&${MODEL}`, { viewport: { width: 1920, height: 1080 } }, async (page) => {
  const canvas = page.locator('[data-chart="stream"] canvas[data-layer="data"]');
  const size = () => canvas.evaluate((element) => ({ dots: element.width, pixels: element.getBoundingClientRect().width }));
  const figure = () => page.locator(".figure b").evaluate((element) => element.getBoundingClientRect().height);
  const before = await figure();
  await page.keyboard.press("p");
  await page.waitForTimeout(500);
  assert.match(await href(page), /projector=1/);
  assert.ok(Math.abs((await figure()) / before - 1.4) < 0.02, "letters are 1.4 times as large");
  const { dots, pixels } = await size();
  assert.ok(Math.abs(dots / pixels - 1) < 0.01, `${dots} dots on ${pixels} pixels`);
  // The hairline of the probe stands at the block nearest to the pointer: less than half a block of some thirty pixels away.
  const plot = page.locator('[data-chart="stream"] .plot');
  const box = await plot.boundingBox();
  for (const share of [0.2, 0.45, 0.7]) {
    const pointer = box.x + share * box.width;
    await page.mouse.move(pointer, box.y + box.height / 2);
    await page.waitForTimeout(200);
    const hairline = await page.locator('[data-chart="stream"] canvas[data-layer="over"]').evaluate((element) => {
      const { data, width, height } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
      const count = (x) => Array.from({ length: height }, (_, y) => data[4 * (y * width + x) + 3] > 128).filter(Boolean).length;
      const heights = Array.from({ length: width }, (_, x) => count(x));
      const bounds = element.getBoundingClientRect();
      return bounds.left + (heights.indexOf(Math.max(...heights)) * bounds.width) / width;
    });
    assert.ok(Math.abs(hairline - pointer) < 30, `${share}: hairline at ${hairline}, pointer at ${pointer}`);
  }
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
});

onPage("a part of a block tells its formula and its numbers", `placement=pre&depth=8&${MODEL}`, {}, async (page) => {
  const drawing = page.locator('.reading[data-placement="pre"] .block');
  await drawing.locator('[data-part="1"]').hover();
  const card = drawing.locator(".card");
  assert.match(await card.textContent(), /^Self-attention.*Gradient of WO: [\d.]+ in block 1, [\d.]+ in block 8/s);
  assert.equal(await card.locator("math").count(), 1);
  await page.mouse.move(0, 0);
  assert.equal(await card.count(), 0);

  // By keyboard, and with the numbers of the block that is looked at.
  await page.locator('[data-chart="stream"] select').selectOption("stream_rms");
  const stream = (await table(page, "stream")).columns[0];
  await drawing.focus();
  await page.keyboard.press("End");
  const said = await drawing.getAttribute("aria-valuetext");
  assert.ok(said.startsWith("Sum with the stream.") && said.includes(`Residual stream: ${three(stream[1])} in block 1, ${three(stream[8])} in block 8`), said);
  await page.keyboard.press("Escape");
  assert.equal(await card.count(), 0);
});

onPage("a model kept at another depth and its difference are seen whole", `placement=post,pre&depth=24&relation=difference&pin=post;depth:12;width:16;heads:2;tokens:4;batch:1~pre;depth:12;width:16;heads:2;tokens:4;batch:1&${MODEL}`, {}, async (page) => {
  const said = await page.locator('[data-chart="stream"] .plot').getAttribute("aria-valuetext");
  // Post-LN less Post-LN is nothing, and still leaves room for the others.
  assert.doesNotMatch(said, /this axis/);
  assert.match(said, /Pre-LN [\d.]+/);
});

onPage("what is compared with is the model that is named, or nothing is", `placement=none,post,pre&depth=6&first_statistic=norm_jacobian&relation=ratio&${MODEL}`, {}, async (page) => {
  assert.equal(await page.locator('[data-chart="stream"] .plot').getAttribute("aria-valuetext"), "No norm has nothing here that others could be compared with");
  // The other chart has its statistic of all three.
  assert.match(await page.locator('[data-chart="gradient"] .plot').getAttribute("aria-valuetext"), /Post-LN .*Pre-LN /);
  await page.locator('[role="checkbox"][data-placement="none"]').click();
  await page.locator('[role="checkbox"][data-placement="post"]').click();
  await settled(page, SLOW);
  assert.match(await page.locator('[data-chart="stream"] .plot').getAttribute("aria-valuetext"), /^Keep Pre-LN or choose another placement/);
});

onPage("a part belongs to its own placement", `placement=post,pre,keel,mixln&depth=8&${MODEL}`, {}, async (page) => {
  const end = async (placement, key) => {
    const drawing = page.locator(`.reading[data-placement="${placement}"] .block`);
    await drawing.focus();
    await page.keyboard.press(key);
    return [await drawing.locator(".card math").first().textContent(), await drawing.getAttribute("aria-valuetext")];
  };
  assert.match((await end("pre", "End"))[0], /x←x\+f\(.*N.*\(x\)\)/);
  assert.match((await end("mixln", "End"))[0], /x←x\+f/);
  // The first blocks of Mix-LN have no norm on what a sublayer reads, and the first sublayer of Keel none on its sum.
  assert.match((await end("mixln", "Home"))[1], /^Norm on what a sublayer reads\. [^.]*: [\d.]+ in block 8$/);
});

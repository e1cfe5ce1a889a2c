// Models that are kept beside others, and their headline numbers.

import assert from "node:assert/strict";
import { href, settled } from "./browser.mjs";
import { SLOW, onPage } from "./pages.mjs";

const MODEL = "width=16&heads=2&tokens=4&batch=1";

/** The rows of the headline numbers. */
const rows = (page) =>
  page.locator(".compare tbody tr").evaluateAll((rows) =>
    rows.map((row) => ({
      placement: row.dataset.placement,
      kept: row.dataset.kept !== undefined,
      letter: row.querySelector("th .letter")?.textContent,
      name: row.querySelector("th").textContent.trim().replace(/^[A-F] +/, ""),
      depth: row.cells[1].textContent,
      values: [...row.querySelectorAll("data")].map((data) => Number(data.value)),
    })),
  );

onPage("curves are kept, named, linked and removed", `placement=post,pre&depth=8&${MODEL}`, {}, async (page) => {
  await page.locator(".compare summary").click();
  const before = await rows(page);
  assert.deepEqual(before.map(({ placement, kept, name }) => [placement, kept, name]), [["post", false, "Post-LN"], ["pre", false, "Pre-LN"]]);
  await page.getByRole("button", { name: "Keep these models" }).click();
  await settled(page, SLOW);
  await page.locator('select[name="init"]').selectOption("he");
  await page.locator(".slider input").focus();
  await page.keyboard.press("ArrowRight");
  await settled(page, SLOW);

  const now = await rows(page);
  assert.deepEqual(now.map(({ name, depth }) => [name, depth]), [["Post-LN", "9"], ["Pre-LN", "9"], ["Post-LN, 8 blocks, Xavier", "8"], ["Pre-LN, 8 blocks, Xavier", "8"]]);
  // What is kept has the numbers it had, and others are beside it.
  assert.deepEqual(now[2].values.slice(0, 4), before[0].values.slice(0, 4));
  assert.deepEqual(now[3].values.slice(0, 4), before[1].values.slice(0, 4));
  assert.notDeepEqual(now[1].values.slice(0, 4), before[1].values.slice(0, 4));
  const link = await href(page);
  assert.match(link, /pin=post;depth:8/);

  // The link brings all of it back.
  await page.goto(link);
  await settled(page, SLOW);
  assert.deepEqual((await rows(page)).map(({ name, values }) => [name, values.slice(0, 4)]), now.map(({ name, values }) => [name, values.slice(0, 4)]));
  await page.getByRole("button", { name: "Remove Post-LN, 8 blocks, Xavier" }).click();
  await settled(page, SLOW);
  assert.deepEqual((await rows(page)).map(({ kept }) => kept), [false, false, true]);
  await page.goBack();
  await settled(page, SLOW);
  assert.equal((await rows(page)).length, 4);
});

onPage("headline numbers are those of the tables", `placement=pre&depth=8&statistic=grad_stream&${MODEL}`, {}, async (page) => {
  await page.locator(".compare summary").click();
  const column = async (chart) => {
    const toggle = page.locator(`[data-chart="${chart}"] [data-option="table"]`);
    await toggle.click();
    return page.locator(`[data-chart="${chart}"] .table data`).evaluateAll((cells) => cells.map((cell) => Number(cell.value)));
  };
  const [stream, gradient] = [await column("stream"), await column("gradient")];
  const [{ values }] = await rows(page);
  const [growth, first, last, ratio, , forward, backward] = values;
  assert.equal(growth, stream.at(-1) / stream[0]);
  assert.deepEqual([first, last, ratio], [gradient[0], gradient.at(-1), gradient[0] / gradient.at(-1)]);
  assert.ok(Math.abs(forward - Math.log(stream.at(-1) / stream[0]) / 8) < 1e-12);
  assert.ok(Math.abs(backward - Math.log(gradient[0] / gradient.at(-1)) / 8) < 1e-12);
  // 12 d^2 a block, d V of the un-embedding, gain and shift of 17 norms.
  assert.match(await page.locator(".compare tbody tr").textContent(), /26,144 544 of norms/);
});

onPage("no more are kept than a link takes", `placement=post,pre,sandwich,olmo2,peri,deepnorm&depth=8&${MODEL}`, {}, async (page) => {
  await page.locator(".compare summary").click();
  const keep = page.getByRole("button", { name: "Keep these models" });
  await keep.click();
  await settled(page, SLOW);
  assert.equal(await keep.getAttribute("aria-disabled"), "true");
  assert.equal(await keep.getAttribute("data-why"), "They are kept already");
  await page.locator(".slider input").focus();
  await page.keyboard.press("ArrowRight");
  await settled(page, SLOW);
  assert.equal(await keep.getAttribute("data-why"), "No more than 6 are kept");
  // A button that says why is reached, and does nothing.
  await keep.focus();
  await page.keyboard.press("Enter");
  assert.equal((await rows(page)).length, 12);
});

// The tour for who is here for the first time.

import assert from "node:assert/strict";
import { href, settled } from "./browser.mjs";
import { SLOW, onPage } from "./pages.mjs";

const MODEL = "width=16&heads=2&tokens=4&batch=1";
const step = (page) => page.locator(".tour").getAttribute("data-step");
const press = (page, name) => page.locator(".tour").getByRole("button", { name, exact: true }).click();
const depth = (page) => page.locator(".depth .figure b").textContent();

onPage("the tour leads through the page's own controls, and back", `placement=keel&depth=9&${MODEL}`, {}, async (page) => {
  assert.equal(await page.locator(".tour").count(), 0);
  await page.getByRole("button", { name: "Tour", exact: true }).click();
  await settled(page, SLOW);
  assert.equal(await step(page), "1");
  assert.match(await href(page), /tour=1/);
  const shown = () => page.locator('[role="checkbox"][aria-checked="true"]').evaluateAll((chips) => chips.map((chip) => chip.dataset.placement));
  assert.deepEqual(await shown(), ["post", "pre"]);
  assert.equal(await depth(page), "24");

  // The heading has the focus, so that the step is read aloud.
  await press(page, "Next");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tour-title");
  assert.equal(await depth(page), "6");
  await page.locator("button.play").click();
  await page.waitForFunction(() => Number(document.querySelector(".depth .figure b").textContent) > 6, null, { timeout: SLOW });
  await press(page, "Next");
  assert.equal(await page.locator("button.play").getAttribute("aria-label"), "Play from 96 to 200 blocks");
  await settled(page, SLOW);
  assert.match(await page.locator('.reading[data-placement="pre"]').textContent(), /lets the stream grow/);
  await press(page, "Next");
  await settled(page, SLOW);
  assert.deepEqual(await shown(), ["post", "pre", "sandwich"]);
  await press(page, "Next");
  assert.equal(await step(page), "5");
  await press(page, "Back");
  assert.equal(await step(page), "4");
  await press(page, "Next");
  await press(page, "Done");
  assert.equal(await page.locator(".tour").count(), 0);
  assert.doesNotMatch(await href(page), /tour=/);
});

onPage("a link that says no more than a step shows what the step speaks of", "tour=3", {}, async (page) => {
  assert.equal(await depth(page), "96");
  assert.equal(await step(page), "3");
});

onPage("a link begins at a step, and Escape ends the tour", `tour=3&depth=96&${MODEL}`, {}, async (page) => {
  assert.equal(await step(page), "3");
  // Nobody has asked for the focus.
  assert.notEqual(await page.evaluate(() => document.activeElement.id), "tour-title");
  const outline = await page.locator(".readings").evaluate((element) => getComputedStyle(element).outlineStyle);
  assert.equal(outline, "solid");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".tour").count(), 0);
});

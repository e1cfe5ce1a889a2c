// Depth in motion, and keys that work wherever nothing else takes them.

import assert from "node:assert/strict";
import { href, settled } from "./browser.mjs";
import { SLOW, onPage } from "./pages.mjs";

const MODEL = "width=16&heads=2&tokens=4&batch=1&placement=pre";
const depth = async (page) => Number(await page.locator(".depth .figure b").textContent());
const isPlaying = async (page) => (await page.locator("button.play").getAttribute("aria-label")) === "Pause";
const reaches = (page, wanted) => page.waitForFunction((wanted) => document.querySelector(".depth .figure b").textContent === String(wanted), wanted, { timeout: SLOW });

onPage("a higher speed is faster, and the link has it", `depth=12&speed=4&${MODEL}`, {}, async (page) => {
  const time = async () => {
    await page.locator("button.play").click();
    const from = Date.now();
    await page.waitForFunction(() => Number(document.querySelector(".depth .figure b").textContent) >= 24, null, { timeout: SLOW, polling: 20 });
    const took = Date.now() - from;
    await page.locator("button.play").click();
    return took;
  };
  const fast = await time();
  assert.match(await page.locator("button.speed").textContent(), /4×/);
  // Past the fastest it is the slowest.
  await page.locator("button.speed").click();
  assert.match(await page.locator("button.speed").textContent(), /0.5×/);
  assert.match(await href(page), /speed=0\.5/);
  await page.locator("button.speed").click();
  assert.doesNotMatch(await href(page), /speed=/);
  await page.evaluate((query) => {
    history.pushState(null, "", `?${query}`);
    dispatchEvent(new PopStateEvent("popstate", { state: null }));
  }, `depth=12&${MODEL}`);
  await settled(page, SLOW);
  const slow = await time();
  // One second a doubling against four.
  assert.ok(slow > 2 * fast, `${slow} ms at 1, ${fast} ms at 4`);
});

onPage("with repeat play begins anew at its end", `depth=190&speed=4&repeat=1&${MODEL}`, {}, async (page) => {
  assert.equal(await page.locator("button.repeat").getAttribute("aria-pressed"), "true");
  await page.locator("button.play").click();
  await reaches(page, 200);
  await page.waitForFunction(() => Number(document.querySelector(".depth .figure b").textContent) < 20, null, { timeout: SLOW });
  assert.ok(await isPlaying(page));
  await page.locator("button.repeat").click();
  assert.doesNotMatch(await href(page), /repeat=/);
});

onPage("keys work where nothing has the focus, and not in a field", `depth=8&${MODEL}`, {}, async (page) => {
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await depth(page), 9);
  await page.keyboard.press("3");
  assert.equal(await page.locator('[data-placement="sandwich"][role="checkbox"]').getAttribute("aria-checked"), "true");
  await page.keyboard.press("3");
  assert.equal(await page.locator('[data-placement="sandwich"][role="checkbox"]').getAttribute("aria-checked"), "false");
  await page.keyboard.press(">");
  assert.match(await page.locator("button.speed").textContent(), /2×/);
  await page.keyboard.press("<");
  await page.keyboard.press("r");
  assert.equal(await page.locator("button.repeat").getAttribute("aria-pressed"), "true");
  await page.keyboard.press("r");
  await page.keyboard.press(" ");
  assert.ok(await isPlaying(page));
  await page.keyboard.press(" ");
  assert.ok(!(await isPlaying(page)));
  await settled(page, SLOW);

  // A field keeps what is typed in it, a button its space.
  const before = await depth(page);
  await page.locator('input[name="seed"]').focus();
  await page.keyboard.press("End");
  await page.keyboard.type("3");
  assert.match(await page.locator('input[name="seed"]').inputValue(), /3$/);
  assert.equal(await page.locator('[data-placement="sandwich"][role="checkbox"]').getAttribute("aria-checked"), "false");
  await page.locator("button.speed").focus();
  await page.keyboard.press(" ");
  assert.ok(!(await isPlaying(page)));
  assert.match(await page.locator("button.speed").textContent(), /2×/);
  assert.equal(await depth(page), before);
});

onPage("a question mark lists the keys, which can be switched off", `depth=8&${MODEL}`, {}, async (page) => {
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  const sheet = page.locator("dialog[open]");
  await sheet.waitFor();
  assert.match(await sheet.textContent(), /Space/);
  // Keys of the page do nothing behind it.
  await page.keyboard.press("3");
  assert.equal(await page.locator('[data-placement="sandwich"][role="checkbox"]').getAttribute("aria-checked"), "false");
  await sheet.getByLabel("Use only keys").check();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("dialog[open]").count(), 0);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("3");
  assert.equal(await page.locator('[data-placement="sandwich"][role="checkbox"]').getAttribute("aria-checked"), "false");
  // It is kept, and the list is still reached by its button.
  await page.reload();
  await settled(page, SLOW);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  assert.equal(await page.locator("dialog[open]").count(), 0);
  await page.locator("button.keys").click();
  assert.ok(await page.getByLabel("Use only keys").isChecked());
});

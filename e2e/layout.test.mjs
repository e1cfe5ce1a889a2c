// The page at every size: nothing moves once it is there, nothing is wider than the window, and a newcomer's way is short.

import assert from "node:assert/strict";
import { test } from "node:test";
import { address, href, settled } from "./browser.mjs";
import { SLOW, onPage, site } from "./pages.mjs";

const SIZES = [
  { width: 360, height: 640 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
];

/** Gathers what the browser calls a layout shift, from the first paint on. */
function watchShifts() {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (!hadRecentInput) window.shifts.push({ value, of: sources.map(({ node }) => node?.className ?? node?.nodeName) });
    }
  }).observe({ type: "layout-shift", buffered: true });
}

/** Sees that nothing has moved since the first paint, and that nothing is wider than the window. */
async function holdsStill(page) {
  await page.waitForTimeout(600);
  const shifts = await page.evaluate(() => window.shifts);
  const sum = shifts.reduce((all, { value }) => all + value, 0);
  assert.ok(sum <= 0.02, `${sum}: ${JSON.stringify(shifts)}`);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the window");
}

for (const view of ["explore", "atlas", "claims"]) {
  for (const viewport of SIZES) {
    test(`nothing moves after loading: ${view}, ${viewport.width} px`, { timeout: SLOW }, async () => {
      const page = await site.page(`view=${view}&deepest=12`, { viewport }, watchShifts);
      try {
        await settled(page, SLOW);
        await holdsStill(page);
      } finally {
        await page.context().close();
      }
    });
  }
}

for (const path of ["embed.html", "gallery.html"]) {
  for (const viewport of [SIZES[0], SIZES[2]]) {
    test(`nothing moves while a page gets its German words: ${path}, ${viewport.width} px`, { timeout: SLOW }, async () => {
      const page = await site.page(`${address(site.server, "")}${path}?lang=de`, { viewport }, watchShifts);
      try {
        await page.frameLocator("iframe").first().locator('[data-announcer][data-settled="true"]').waitFor({ state: "attached", timeout: SLOW });
        await holdsStill(page);
      } finally {
        await page.context().close();
      }
    });
  }
}

// Three actions: play, pause, copy the link.
onPage("a newcomer's way from opening to a link takes no more than five actions", "", {}, async (page) => {
  // Post-LN and Pre-LN are there, and a sentence each says how they differ.
  for (const placement of ["post", "pre"]) assert.match(await page.locator(`.reading[data-placement="${placement}"] .say`).textContent(), /stream .* gradient/);
  // Where they part: play, and stop once it is seen.
  await page.locator(".play").click();
  await page.waitForFunction(() => Number(document.querySelector(".depth .figure b").textContent) >= 60, null, { timeout: SLOW });
  await page.locator(".play").click();
  await settled(page, SLOW);
  const first = (placement) => page.locator(`.reading[data-placement="${placement}"] .say b`).allTextContents();
  const [post, pre] = [await first("post"), await first("pre")];
  assert.ok(Number(pre[1]) / Number(post[1]) > 4, `the streams are apart: ${pre[1]}, ${post[1]}`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator(".copy").click();
  await page.waitForFunction(() => /Copied/.test(document.querySelector(".copy").textContent));
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await href(page));
});

onPage("the Tab key reaches every control, in the order of the page, and shows where it is", "placement=post,pre&depth=8&width=16&heads=2&tokens=4&batch=1", {}, async (page) => {
  const seen = [];
  const visible = await page.evaluate(() =>
    [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: false }) && !element.disabled)
      .map((element, index) => ((element.dataset.stop = index), index)),
  );
  await page.evaluate(() => document.activeElement.blur());
  for (let i = 0; i < visible.length + 5; i++) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === document.body) return null;
      // The ring may be around what is drawn in the place of a native control.
      const ringed = [element, ...ancestors(element), ...element.parentElement.children].some((near) => getComputedStyle(near).outlineStyle !== "none" || getComputedStyle(near).boxShadow !== "none");
      return { stop: element.dataset.stop, name: element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 40), ringed };
      function ancestors(of, depth = 3) {
        return depth && of.parentElement ? [of.parentElement, ...ancestors(of.parentElement, depth - 1)] : [];
      }
    });
    if (stop === null || seen.some((known) => known.stop === stop.stop)) break;
    seen.push(stop);
  }
  // Of a group of radio buttons or switches with one stop, the arrows reach the others.
  const reached = new Set(seen.map(({ stop }) => Number(stop)));
  const missed = await page.evaluate(
    (stops) => stops.map((stop) => document.querySelector(`[data-stop="${stop}"]`)).filter((element) => element.tabIndex >= 0).map((element) => element.outerHTML.slice(0, 120)),
    visible.filter((stop) => !reached.has(stop)),
  );
  assert.deepEqual(missed, []);
  assert.deepEqual(seen.filter(({ ringed }) => !ringed).map(({ name }) => name), []);
  const at = (pattern) => seen.findIndex(({ name }) => pattern.test(name));
  assert.ok(at(/Depth/) < at(/Post-LN/) && at(/Post-LN/) < at(/Residual stream|Which statistic, first/), JSON.stringify(seen.map(({ name }) => name)));
});

// WCAG 2.2 A and AA, as far as axe-core can tell, in every view, both themes and both languages.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { address } from "./browser.mjs";
import { SLOW, onPage, site } from "./pages.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const MODEL = "width=16&heads=2&tokens=4&batch=1";

/** What axe-core finds on a page. */
async function violations(page) {
  // Evaluated, and not added as a script: the page's policy allows none.
  await page.evaluate(axe);
  const found = await page.evaluate((values) => window.axe.run(document, { iframes: false, runOnly: { type: "tag", values } }), LEVELS);
  assert.ok(found.passes.length > 15, `axe-core has looked at ${found.passes.length} rules only`);
  return found.violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => `${node.target.join(" ")} (${node.failureSummary})`).join("; ")}`);
}

/** What is opened before the look. */
const OPENED = {
  explore: async () => {},
  "explore, tables": async (page) => {
    for (const chart of ["stream", "gradient"]) await page.locator(`[data-chart="${chart}"] [data-option="table"]`).click();
  },
  "explore, everything open": async (page) => {
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
  },
  "explore, keys": async (page) => {
    await page.locator("button.keys").click();
    await page.waitForSelector("dialog[open]");
  },
  atlas: async (page) => {
    await page.locator(".sweep button").click();
    await page.waitForSelector('.sweep[data-sweep="done"]', { timeout: SLOW });
  },
  claims: async () => {},
};

for (const [state, open] of Object.entries(OPENED)) {
  const view = state.split(",")[0];
  for (const colorScheme of ["light", "dark"]) {
    onPage(`axe-core finds nothing: ${state}, ${colorScheme}`, `view=${view}&placement=post,pre&depth=8&deepest=12&${MODEL}`, { colorScheme }, async (page) => {
      await open(page);
      assert.deepEqual(await violations(page), []);
    });
  }
}

for (const view of ["explore", "atlas", "claims"]) {
  onPage(`axe-core finds nothing: ${view}, on a phone, in German`, `view=${view}&placement=post,pre&depth=8&deepest=12&${MODEL}`, { viewport: { width: 390, height: 844 }, locale: "de-DE" }, async (page) => {
    assert.deepEqual(await violations(page), []);
  });
}

for (const path of ["embed.html", "gallery.html"]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`axe-core finds nothing: ${path}, on a phone, in German, ${colorScheme}`, { timeout: SLOW }, async () => {
      const page = await site.page(`${address(site.server, "")}${path}`, { viewport: { width: 390, height: 844 }, locale: "de-DE", colorScheme });
      try {
        await page.waitForSelector("[data-keys] tr, .gallery article", { state: "attached", timeout: SLOW });
        await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
        assert.deepEqual(await violations(page), []);
      } finally {
        await page.context().close();
      }
    });
  }
}

onPage("axe-core finds nothing beside a notice and in float64", `placement=none,residual&depth=60&colour=red&engine=reference&${MODEL}`, {}, async (page) => {
  await page.waitForSelector('[data-notice="link"]');
  assert.deepEqual(await violations(page), []);
});

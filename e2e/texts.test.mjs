// The page in the languages of its readers.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { ROOT, address, href, settled } from "./browser.mjs";
import { SLOW, onPage, site } from "./pages.mjs";

const GERMAN = { locale: "de-DE" };
const MODEL = "width=16&heads=2&tokens=4&batch=1";

/** The texts of a language, by `part.name`. */
function texts(language) {
  const folder = join(ROOT, "texts", language);
  const ofFile = (file) => Object.entries(JSON.parse(readFileSync(join(folder, file), "utf8"))).map(([name, text]) => [`${basename(file, ".json")}.${name}`, text]);
  return new Map(readdirSync(folder).flatMap(ofFile));
}
const [english, german] = [texts("en"), texts("de")];

/** What is seen and what is read aloud. */
const said = (page) =>
  page.evaluate(() => {
    const all = [document.title];
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) all.push(nodes.currentNode.data);
    for (const name of ["aria-label", "aria-description", "aria-valuetext", "title", "label", "data-why"])
      for (const element of document.querySelectorAll(`[${name}]`)) all.push(element.getAttribute(name));
    return all.map((text) => text.replace(/\s+/g, " ").trim()).filter(Boolean);
  });

/** Sentences of English texts without values, of two words and more, that German says otherwise. */
const foreign = [...english].filter(([name, text]) => german.get(name) !== text && /\w \w/.test(text)).map(([name, text]) => {
  // The words between the values: the longest piece tells.
  const pieces = text.split(/\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/).map((piece) => piece.trim());
  return [name, pieces.sort((a, b) => b.length - a.length)[0]];
}).filter(([, piece]) => piece.split(" ").length >= 3);

/** Neither an English text is among these, nor the name of a text where it should be. */
function hearsGerman(all) {
  for (const [name, piece] of foreign) {
    const found = all.find((text) => text.includes(piece));
    assert.equal(found, undefined, `${name} is English`);
  }
  assert.deepEqual(all.filter((text) => english.has(text)), []);
}

for (const view of ["explore", "atlas", "claims"]) {
  onPage(`a German reader hears no English: ${view}`, `view=${view}&depth=8&placement=post,none&deepest=12&${MODEL}&colour=red&heads=5`, GERMAN, async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
    if (view === "explore") {
      await page.waitForSelector("[data-update]", { state: "attached", timeout: SLOW });
      for (const chart of ["stream", "gradient"]) await page.locator(`[data-chart="${chart}"] [data-option="table"]`).click();
    }
    const all = await said(page);
    assert.ok(all.length > 60, `only ${all.length} texts`);
    hearsGerman(all);
  });
}

for (const path of ["embed.html", "gallery.html"]) {
  test(`a German reader hears no English: ${path}`, { timeout: SLOW }, async () => {
    const page = await site.page(`${address(site.server, "")}${path}`, GERMAN);
    try {
      await page.waitForSelector("[data-keys] tr, .gallery article", { state: "attached", timeout: SLOW });
      assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
      const kinds = page.locator("[data-kind] option");
      for (let kind = 0; kind < (await kinds.count()); kind++) {
        await page.locator("[data-kind]").selectOption({ index: kind });
        hearsGerman(await said(page));
      }
      const all = await said(page);
      assert.ok(all.length > 40, `only ${all.length} texts`);
      hearsGerman(all);
      assert.deepEqual(page.errors, []);
    } finally {
      await page.context().close();
    }
  });
}

onPage("the bar has room for German on a phone", `depth=6&placement=pre&${MODEL}`, { ...GERMAN, viewport: { width: 390, height: 844 } }, async (page) => {
  const { inner, outside } = await page.evaluate(() => ({
    inner: innerWidth,
    outside: [...document.querySelectorAll(".top a, .top button")].map((element) => [element.className, element.getBoundingClientRect()]).filter(([, { width, right }]) => width > 0 && right > innerWidth).map(([name]) => name),
  }));
  assert.equal(inner, 390);
  assert.deepEqual(outside, []);
});

onPage("numbers are written as the language has them", `depth=6&placement=pre&${MODEL}`, GERMAN, async (page) => {
  const reading = await page.locator(".reading").first().textContent();
  assert.match(reading, /\d,\d/);
  assert.doesNotMatch(reading, /\d\.\d/);
});

onPage("the language can be chosen and is kept", `depth=6&placement=pre&${MODEL}`, {}, async (page) => {
  assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
  const other = page.locator('.languages a[hreflang="de"]');
  assert.equal(await other.getAttribute("lang"), "de");
  await other.focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.documentElement.lang === "de", null, { timeout: SLOW });
  await settled(page, SLOW);
  assert.doesNotMatch(await href(page), /lang=/);
  assert.match(await href(page), /depth=6/);
  assert.equal(await page.locator(".depth .figure span").textContent(), german.get("page.blocks"));
  await page.reload();
  await settled(page, SLOW);
  assert.equal(await page.evaluate(() => document.documentElement.lang), "de");

  // A link with a language is in that language, whatever was chosen, and keeps it.
  await page.goto(address(site.server, `depth=7&lang=en&placement=pre&${MODEL}`));
  await settled(page, SLOW);
  assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
  await page.locator(".slider input").focus();
  await page.keyboard.press("ArrowRight");
  await settled(page, SLOW);
  assert.match(await href(page), /lang=en/);
});

onPage("a language that there is not is said, and another is used", `depth=6&placement=pre&lang=xx&${MODEL}`, {}, async (page) => {
  assert.match(await page.locator('[data-notice="link"]').textContent(), /lang: “xx” is not allowed \(en, de\)/);
  assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
});

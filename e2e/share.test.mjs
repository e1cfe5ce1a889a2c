// Links: presets, files of presets, parts that are left out, and the pages that make links and frames.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { address, href, open, settled } from "./browser.mjs";
import { SLOW, pagesOf } from "./on-page.mjs";

const QUICK = "depth=6&width=16&tokens=4&batch=1&heads=2";
let site;
let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "presets-"));
  const preset = { title: "Week 3", query: `placement=sandwich&${QUICK}`, sentence: "What to see." };
  await writeFile(join(folder, "course.json"), JSON.stringify({ presets: [preset] }));
  await writeFile(join(folder, "broken.json"), JSON.stringify({ presets: [{ title: "No query" }] }));
  await writeFile(join(folder, "text.json"), "Week 3");
  await writeFile(join(folder, "long.json"), JSON.stringify({ presets: [preset, { ...preset, title: "x".repeat(81) }] }));
  site = await open({ serve: { mounts: { "/course/": folder } } });
}, { timeout: 60_000 });
after(async () => {
  await site?.close();
  await rm(folder, { recursive: true });
});

const onPage = pagesOf(() => site);
const hides = (page, selector) => page.locator(selector).first().isHidden();

onPage("a preset by link, with what is changed of it", `preset=gpt-2&${QUICK}`, {}, async (page) => {
  assert.equal(await page.locator('.chip[aria-checked="true"]').count(), 1);
  assert.match(await page.locator('.chip[aria-checked="true"]').textContent(), /Pre-LN/);
  await page.locator(".slider input").focus();
  await page.keyboard.press("ArrowRight");
  const query = new URL(await href(page)).searchParams;
  assert.equal(query.get("v"), "1");
  assert.equal(query.get("residual_scale"), "gpt2");
  assert.equal(query.get("preset"), null);
});

onPage("a file of presets is offered", `presets=course/course.json&${QUICK}`, {}, async (page) => {
  const select = page.locator('select[name="preset"]');
  await page.waitForSelector('select[name="preset"] option:text("Week 3")', { state: "attached" });
  await select.selectOption({ label: "Week 3" });
  await settled(page, SLOW);
  assert.equal(await page.locator('select[name="preset"] option:checked').getAttribute("title"), "What to see.");
  const query = new URL(await href(page)).searchParams;
  assert.equal(query.get("placement"), "sandwich");
  assert.equal(query.get("presets"), "course/course.json");
});

for (const [name, file, why] of [
  ["that is not there", "course/none.json", /404/],
  ["with a mistake", "course/broken.json", /preset 1 has no query/],
]) {
  test(`a file of presets ${name} is named, and harmless`, { timeout: SLOW }, async () => {
    const page = await site.page(`presets=${file}&${QUICK}`);
    await settled(page, SLOW);
    await page.waitForSelector('[data-notice="told"]');
    assert.match(await page.locator('[data-notice="told"]').textContent(), why);
    await page.context().close();
  });
}

onPage("parts are left out by link", `${QUICK}&hide=status,readings,second`, {}, async (page) => {
  for (const part of [".status", ".reading", '.chart[data-chart="gradient"]']) assert.ok(await hides(page, part), part);
  for (const part of [".top", ".controls", '.chart[data-chart="stream"]']) assert.ok(!(await hides(page, part)), part);
});

onPage("a part of another page has no bar, and a way to the whole", `${QUICK}&embed=1&hide=status`, {}, async (page) => {
  assert.ok(await hides(page, ".top"));
  assert.ok(await hides(page, ".controls"));
  const link = new URL(await page.locator("a.whole").getAttribute("href"));
  assert.equal(link.searchParams.get("embed"), null);
  assert.equal(link.searchParams.get("hide"), null);
  assert.equal(link.searchParams.get("depth"), "6");
});

for (const hide of ["status", "placements"]) {
  onPage(`in a part of another page nothing is empty beside the charts, and nothing over them: without ${hide}`, `${QUICK}&embed=1&hide=${hide}`, {}, async (page) => {
    const placements = await page.locator(".placements").boundingBox();
    const { x, width } = await page.locator(".main").boundingBox();
    const left = placements ? placements.x + placements.width : 0;
    assert.ok(x >= left && x < left + 60, `${left}, ${x}`);
    assert.ok(x + width > 1440 - 60, `${x + width}`);
  });
}

onPage("a link forces colours, and goes on to", `${QUICK}&theme=dark`, { colorScheme: "light" }, async (page) => {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), "dark");
  await page.getByRole("button", { name: /light/i }).click();
  assert.equal(await theme(), "light");
  assert.equal(new URL(await href(page)).searchParams.get("theme"), "light");
});

onPage("where the clipboard is refused the link is there to copy", `${QUICK}&embed=0`, { prepare: () => {
  navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
} }, async (page) => {
  await page.locator(".copy").click();
  const field = page.locator("#by-hand");
  await field.waitFor();
  const [value, selected] = await field.evaluate((input) => [input.value, input.value.slice(input.selectionStart, input.selectionEnd)]);
  assert.equal(selected, value);
  assert.match(value, /^http.*depth=6/);
});

/** Opens a page beside the page, and gathers its errors. */
async function beside(path, options = {}) {
  const context = await site.browser.newContext({ viewport: { width: 1200, height: 1000 }, permissions: ["clipboard-read", "clipboard-write"], ...options });
  const page = await context.newPage();
  page.errors = [];
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  page.on("pageerror", (error) => page.errors.push(String(error)));
  await page.goto(address(site.server, "").replace(/\/$/, `/${path}`));
  return page;
}

test("the builder makes a frame and a link", { timeout: SLOW }, async () => {
  const page = await beside(`embed.html?${QUICK}`);
  try {
    const preview = page.frameLocator("[data-preview]");
    await preview.locator('[data-announcer][data-settled="true"]').waitFor({ state: "attached", timeout: SLOW });
    await page.waitForSelector("[data-keys] tr", { state: "attached" });
    // The frame is low, and its charts are as wide as it is.
    const [outer, inner] = await Promise.all([page.locator("[data-preview]").boundingBox(), preview.locator(".main").boundingBox()]);
    assert.ok(outer.width > 900 && inner.width > outer.width - 60, `${inner.width} of ${outer.width}`);
    assert.ok((await page.locator("[data-keys] tr").count()) > 40);
    const snippet = () => page.locator("[data-snippet]").inputValue();
    await page.waitForFunction(() => /depth=6/.test(document.querySelector("[data-snippet]").value));
    // A part less.
    await page.locator('[data-parts] input[value="status"]').uncheck();
    await preview.locator(".status").first().waitFor({ state: "hidden" });
    await page.locator("[data-kind]").selectOption("iframe");
    assert.match(await snippet(), /^<iframe src="http.*embed=1&amp;hide=status" .*height="480"/);
    // What is changed in the preview goes into the link, and a key into the preview.
    await page.locator("summary").click();
    await page.locator('[data-key="depth"]').fill("9");
    await page.locator('[data-key="depth"]').blur();
    await preview.locator(".depth .figure b", { hasText: /^9$/ }).waitFor();
    await page.locator("[data-kind]").selectOption("link");
    assert.match(await snippet(), /\?v=1&.*depth=9/);
    // A bad value is named.
    await page.locator('[data-key="depth"]').fill("999");
    await page.locator('[data-key="depth"]').blur();
    await page.waitForFunction(() => /depth: “999” is not allowed/.test(document.querySelector("[data-notices]").textContent));
    await page.locator("[data-copy]").click();
    await page.waitForFunction(() => document.querySelector("[data-copied]").textContent === "Copied");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await snippet());
    assert.deepEqual(page.errors, []);
  } finally {
    await page.context().close();
  }
});

/** The queries of links. */
const queries = (links) => links.evaluateAll((all) => all.map(({ href }) => new URL(href).search));

test("the builder speaks the language of its link, and its links keep it", { timeout: SLOW }, async () => {
  const page = await beside(`embed.html?lang=de&${QUICK}`);
  try {
    const preview = page.frameLocator("[data-preview]");
    await preview.locator('[data-announcer][data-settled="true"]').waitFor({ state: "attached", timeout: SLOW });
    await page.waitForFunction(() => /depth=6/.test(document.querySelector("[data-snippet]").value));
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    assert.equal(await preview.locator("html").getAttribute("lang"), "de");
    assert.equal(await page.title(), "Verlinken und einbetten – Normscope");
    assert.match(await page.locator('[data-parts] label:has([value="bar"])').textContent(), /^ Kopfzeile bar$/);
    await page.locator("summary").click();
    assert.match(await page.locator('tr:has([data-key="depth"])').textContent(), /Blöcke, L.*eine ganze Zahl von 1 bis 200/);
    assert.match(await page.locator('tr:has([data-key="memory_cos"])').textContent(), /eine Zahl von 0 bis 1/);
    assert.match(await page.locator('tr:has([data-key="placement"])').textContent(), /eines oder mehrere von post, pre,/);
    assert.match(await page.locator('tr:has([data-key="pin"])').textContent(), /bis zu 6 Modelle/);
    assert.match(await page.locator('tr:has([data-key="presets"])').textContent(), /höchstens 200 Zeichen/);
    assert.match(await page.locator('tr:has([data-key="norm"])').textContent(), /layernorm, rmsnorm/);
    await page.locator("[data-kind]").selectOption({ label: "MyST, Jupyter Book" });
    assert.match(await page.locator("[data-snippet]").inputValue(), /lang=de[^]*mit fester Höhe von 480 px/);
    assert.match(await page.locator("[data-hint]").textContent(), /Seitenverhältnis 16 zu 9/);
    await page.locator("[data-copy]").click();
    await page.waitForFunction(() => document.querySelector("[data-copied]").textContent === "Kopiert");
    await page.locator('[data-key="depth"]').fill("999");
    await page.locator('[data-key="depth"]').blur();
    await page.waitForFunction(() => /depth: „999“ ist kein gültiger Wert/.test(document.querySelector("[data-notices]").textContent));
    assert.deepEqual((await queries(page.locator("header a"))).map((query) => new URLSearchParams(query).get("lang")), ["de", "de"]);
    // Another language for the frame takes another page, and is in what is copied.
    await page.locator('[data-key="lang"]').selectOption("en");
    await preview.locator('html[lang="en"]').waitFor({ timeout: SLOW });
    await page.waitForFunction(() => /lang=en/.test(document.querySelector("[data-snippet]").value), null, { timeout: SLOW });
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    assert.deepEqual(page.errors, []);
  } finally {
    await page.context().close();
  }
});

test("the gallery speaks the language of its link, and its links keep it", { timeout: SLOW }, async () => {
  const page = await beside("gallery.html?lang=de");
  try {
    await page.waitForSelector(".gallery article", { timeout: SLOW });
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    assert.equal(await page.title(), "Vorlagen – Normscope");
    assert.match(await page.locator(".gallery p").first().textContent(), /^Der Decoder des ersten Transformers/);
    const titles = await page.locator(".gallery h2").allTextContents();
    for (const title of ["GPT-2", "Xiongs vereinfachter Fall"]) assert.ok(titles.includes(title), `${titles}`);
    assert.deepEqual(await queries(page.locator("header a")), ["?lang=de", "?lang=de"]);
    for (const query of await queries(page.locator(".gallery a"))) assert.equal(new URLSearchParams(query).get("lang"), "de");
    await page.frameLocator(".gallery iframe").first().locator('html[lang="de"]').waitFor({ timeout: SLOW });
    assert.deepEqual(page.errors, []);
  } finally {
    await page.context().close();
  }
});

test("without a language in the link it is the one chosen last, else the reader's", { timeout: SLOW }, async () => {
  const page = await beside("gallery.html?presets=course/course.json", { locale: "de-AT" });
  const title = () => page.locator("h1").textContent();
  try {
    await page.waitForSelector(".gallery article");
    assert.equal(await title(), "Vorlagen");
    assert.deepEqual(await queries(page.locator("header a")), ["", ""]);
    await page.evaluate(() => localStorage.setItem("normscope.language", "en"));
    await page.reload();
    await page.waitForSelector(".gallery article");
    assert.equal(await title(), "Presets");
  } finally {
    await page.context().close();
  }
});

for (const [file, why] of [
  ["course/none.json", /^Die Vorlagen aus course\/none\.json ließen sich nicht verwenden: der Server antwortete mit 404\.$/],
  ["course/broken.json", /: Vorlage 1 hat keine gültige „query“\.$/],
  ["course/text.json", /: das ist kein JSON\.$/],
  ["course/long.json", /: Vorlage 2 hat keinen Titel von höchstens 80 Zeichen\.$/],
  ["https://127.0.0.1:1/x.json", /: der Browser konnte die Datei nicht holen/],
]) {
  test(`a German reader is told why ${file} is refused`, { timeout: SLOW }, async () => {
    const gallery = await beside(`gallery.html?presets=${file}`, { locale: "de-DE" });
    await gallery.waitForFunction(() => document.querySelector("[data-trouble]").textContent !== "");
    assert.match(await gallery.locator("[data-trouble]").textContent(), why);
    assert.equal(await gallery.locator("h1").textContent(), "Vorlagen");
    await gallery.context().close();
  });
}

onPage("a German reader is told on the page too why a file of presets is refused", `presets=course/broken.json&${QUICK}`, { locale: "de-DE" }, async (page) => {
  await page.waitForSelector('[data-notice="told"]');
  assert.match(await page.locator('[data-notice="told"] p').textContent(), /: Vorlage 1 hat keine gültige „query“\. Schließen$/);
});

test("the gallery shows every preset, and those of a file", { timeout: SLOW }, async () => {
  const page = await beside("gallery.html?presets=course/course.json");
  try {
    await page.frameLocator(".gallery iframe").locator('[data-announcer][data-settled="true"]').waitFor({ state: "attached", timeout: SLOW });
    assert.deepEqual(await page.locator(".gallery h2").allTextContents(), ["Week 3"]);
    await page.goto(page.url().replace(/\?.*/, ""));
    await page.waitForSelector(".gallery article", { timeout: SLOW });
    assert.ok((await page.locator(".gallery article").count()) >= 12);
    assert.deepEqual(page.errors, []);
  } finally {
    await page.context().close();
  }
});

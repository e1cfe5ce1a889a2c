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
async function beside(path) {
  const context = await site.browser.newContext({ viewport: { width: 1200, height: 1000 }, permissions: ["clipboard-read", "clipboard-write"] });
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

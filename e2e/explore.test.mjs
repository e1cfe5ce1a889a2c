// The page in a real browser, with WebGPU on the processor.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT, address, href, settled } from "./browser.mjs";
import { SLOW, onPage, site } from "./pages.mjs";

/** The numbers and marks of a chart's table, by placement. */
async function table(page, chart) {
  const toggle = page.locator(`[data-chart="${chart}"] [data-option="table"]`);
  if ((await toggle.getAttribute("aria-pressed")) === "false") await toggle.click();
  return page.locator(`[data-chart="${chart}"] table`).evaluate((element) => {
    const names = [...element.querySelectorAll("thead th[data-placement]")].map((cell) => cell.dataset.placement);
    const rows = [...element.querySelectorAll("tbody tr")];
    const of = (column) =>
      rows.map((row) => {
        const data = row.querySelectorAll("td")[column].querySelector("data");
        return { value: Number(data.value), mark: data.dataset.mark ?? null, text: data.textContent.trim() };
      });
    return {
      blocks: rows.map((row) => Number(row.querySelector("th").textContent)),
      ...Object.fromEntries(names.map((name, column) => [name, of(column)])),
    };
  });
}

const golden = async (folder, name) => JSON.parse(await readFile(join(ROOT, folder, `${name}.json`), "utf8"));
const number = (value) => (typeof value === "string" ? { NaN, inf: Infinity, "-inf": -Infinity }[value] : value);

/** The bound of the model's description for engines in float32. */
function agrees(got, exact, single, depth, what) {
  const share = depth <= 48 ? 2e-3 : 5e-3;
  assert.equal(got.length, exact.length, what);
  for (let i = 0; i < exact.length; i++) {
    let noise = 0;
    for (let j = Math.max(0, i - 3); j <= Math.min(exact.length - 1, i + 3); j++) {
      noise = Math.max(noise, Math.abs(number(single[j]) - number(exact[j])));
    }
    const bound = share * Math.abs(exact[i]) + 20 * noise;
    assert.ok(Math.abs(got[i].value - exact[i]) <= bound, `${what}[${i}]: ${got[i].value}, not ${exact[i]} ± ${bound}`);
  }
}

/** Compares both tables with an independent float64 run. */
async function comparesWithGolden(page, depth, folder = "tests/golden") {
  const stream = await table(page, "stream");
  const gradient = await table(page, "gradient");
  assert.deepEqual(stream.blocks, Array.from({ length: depth + 1 }, (_, i) => i));
  assert.deepEqual(gradient.blocks, Array.from({ length: depth }, (_, i) => i + 1));
  for (const placement of ["post", "pre"]) {
    const run = await golden(folder, `${placement},depth-${depth}`);
    agrees(stream[placement], run.stream_rms, run.f32.stream_rms, depth, `${placement} stream_rms`);
    agrees(gradient[placement], run.grad_weight.w2, run.f32.grad_weight.w2, depth, `${placement} grad_weight.w2`);
  }
}

/** How many pixels of a layer are drawn, and how many of those are near a colour. */
function pixels(page, chart, layer, color) {
  return page.locator(`[data-chart="${chart}"] canvas[data-layer="${layer}"]`).evaluate((canvas, color) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let drawn = 0;
    let near = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] < 128) continue;
      drawn++;
      if (color.every((value, channel) => Math.abs(data[i + channel] - value) < 24)) near++;
    }
    return { drawn, near };
  }, color);
}

const ORANGE = [0xd5, 0x5e, 0x00];
const BLUE = [0x00, 0x72, 0xb2];
const figure = async (page) => Number(await page.locator(".depth .figure b").textContent());
const thumb = (page) => page.locator(".slider input");

onPage("the page opens with both charts drawn, on WebGPU", "", {}, async (page) => {
  assert.equal(await figure(page), 24);
  for (const chart of ["stream", "gradient"]) {
    assert.ok((await pixels(page, chart, "back", ORANGE)).drawn > 1000, `${chart}: axes`);
    assert.ok((await pixels(page, chart, "data", ORANGE)).near > 300, `${chart}: the line of Post-LN`);
    assert.ok((await pixels(page, chart, "data", BLUE)).near > 300, `${chart}: the line of Pre-LN`);
  }
  const stream = await table(page, "stream");
  assert.ok(stream.post.every(({ value }) => Math.abs(value - 1) < 0.1));
  assert.ok(stream.pre.at(-1).value > 4 && stream.pre.at(-1).value < 7);
  assert.match(await page.locator('[data-status="who"]').textContent(), /^WebGPU/);
  assert.match(await page.locator('[data-status="time"]').textContent(), /^2 passes [\d.]+ m?s$/);
  assert.match(await page.locator('[data-status="cost"]').textContent(), /dispatches, \d+ submits?, \d+ MiB$/);
  assert.equal(await page.locator(".notice").count(), 0);
  assert.match(await page.locator('.reading[data-placement="pre"] .say').textContent(), /^Pre-LN lets the stream grow to/);
});

onPage("the slider at 6, 96 and 200 gives the numbers of the float64 engine", "", {}, async (page) => {
  await thumb(page).focus();
  await page.keyboard.press("Home");
  await settled(page, SLOW);
  assert.equal(await figure(page), 6);
  await comparesWithGolden(page, 6);

  const rail = await page.locator(".slider").boundingBox();
  const tick = await page.locator(".slider .tick", { hasText: /^96/ }).boundingBox();
  await page.mouse.click(tick.x + tick.width / 2, rail.y + 22);
  await settled(page, SLOW);
  assert.equal(await figure(page), 96);
  await comparesWithGolden(page, 96, "e2e/golden");

  await thumb(page).focus();
  await page.keyboard.press("End");
  await settled(page, SLOW);
  assert.equal(await figure(page), 200);
  await comparesWithGolden(page, 200);
});

onPage("play animates depth and charts, and pauses", "depth=6&placement=pre", {}, async (page) => {
  const picture = () => page.locator('[data-chart="stream"] canvas[data-layer="data"]').evaluate((c) => c.toDataURL());
  const first = await picture();
  await page.locator(".play").click();
  await page.waitForFunction(() => Number(document.querySelector(".depth .figure b").textContent) > 8, null, { timeout: SLOW });
  assert.notEqual(await picture(), first);
  await page.locator(".play").click();
  const paused = await figure(page);
  await page.waitForTimeout(600);
  assert.equal(await figure(page), paused);
  assert.ok(page.url().includes(`depth=${paused}`));
});

onPage("a link restores its state", "placement=pre,sandwich&depth=9&width=32&heads=2&norm=rmsnorm&statistic=grad_stream&first_scale=log", {}, async (page) => {
  const chosen = await page.locator('.chip[aria-checked="true"]').evaluateAll((list) => list.map((c) => c.dataset.placement));
  assert.deepEqual(chosen, ["pre", "sandwich"]);
  assert.equal(await figure(page), 9);
  assert.equal(await page.locator('input[name="width"]').inputValue(), "32");
  assert.equal(await page.locator('input[name="heads"]').inputValue(), "2");
  assert.equal(await page.locator('select[name="norm"]').inputValue(), "rmsnorm");
  assert.equal(await page.locator('select[name="statistic"]').inputValue(), "grad_stream");
  assert.equal(await page.locator('[data-chart="stream"] [data-option="log"]').getAttribute("aria-pressed"), "true");
  assert.equal((await table(page, "gradient")).blocks.length, 10);
});

onPage("back and forward go through the choices", "depth=7", {}, async (page) => {
  await page.locator('.chip[data-placement="sandwich"]').click();
  assert.match(await href(page), /placement=post,pre,sandwich/);
  await page.locator('select[name="norm"]').selectOption("rmsnorm");
  assert.match(await href(page), /norm=rmsnorm/);
  await thumb(page).focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(500);
  assert.match(await href(page), /depth=10/);
  await page.goBack();
  assert.equal(await figure(page), 7, "a movement is one step of the history");
  assert.match(await href(page), /norm=rmsnorm/);
  await page.goBack();
  assert.equal(await page.locator('select[name="norm"]').inputValue(), "layernorm");
  await page.goBack();
  assert.equal(await page.locator('.chip[data-placement="sandwich"]').getAttribute("aria-checked"), "false");
  await page.goForward();
  assert.equal(await page.locator('.chip[data-placement="sandwich"]').getAttribute("aria-checked"), "true");
  await settled(page, SLOW);
});

onPage("a bad link says what was given, what is allowed and what is used", "depth=500&colour=red&width=63&init=best", {}, async (page) => {
  const notice = await page.locator('[data-notice="link"]').textContent();
  for (const part of ["depth: “500”", "1 to 200", "24 is used", "colour: no such key", "heads: “4”", "divisor of width", "3 is used", "init: “best”", "xavier is used"]) {
    assert.ok(notice.includes(part), `${part} in: ${notice}`);
  }
  assert.equal(await figure(page), 24);
  await page.locator('[data-notice="link"] button').click();
  assert.equal(await page.locator(".notice").count(), 0);
});

onPage("a depth under 6 is the figure's, and the thumb rests at 6", "depth=3&placement=pre", {}, async (page) => {
  assert.equal(await figure(page), 3);
  assert.equal((await table(page, "stream")).blocks.length, 4);
  const [thumb, track] = [await page.locator(".slider .thumb").boundingBox(), await page.locator(".slider .track").boundingBox()];
  assert.ok(Math.abs(thumb.x + thumb.width / 2 - track.x) < 1.5);
});

onPage("the reference engine computes in float64 with progress", "depth=6&engine=reference", {}, async (page) => {
  const stream = await table(page, "stream");
  const gradient = await table(page, "gradient");
  for (const placement of ["post", "pre"]) {
    const run = await golden("tests/golden", `${placement},depth-6`);
    run.stream_rms.forEach((exact, i) => assert.ok(Math.abs(stream[placement][i].value / exact - 1) < 1e-9));
    run.grad_weight.w2.forEach((exact, i) => assert.ok(Math.abs(gradient[placement][i].value / exact - 1) < 1e-7));
  }
  assert.match(await page.locator('[data-status="who"]').textContent(), /reference/);
  assert.ok((await page.locator(".status").textContent()).includes("float64"));
  await thumb(page).focus();
  await page.keyboard.press("End");
  await page.waitForSelector(".status .running");
  await page.waitForFunction(() => /, [1-9]\d? %/.test(document.querySelector(".status .running")?.textContent ?? ""), null, { timeout: SLOW });
  await page.keyboard.press("Home");
  await settled(page, SLOW);
});

onPage("what float32 cannot resolve is marked in chart, table and words", "placement=post&depth=96&statistic=grad_weight.wq", {}, async (page) => {
  const { post } = await table(page, "gradient");
  const marked = post.filter(({ mark }) => mark === "unresolved");
  assert.ok(marked.length > 20, `${marked.length} marks`);
  assert.ok(marked.every(({ text }) => text === "not resolved by float32"));
  assert.equal(post[0].mark, null);
  await page.locator('[data-chart="gradient"] [data-option="log"]').click();
  const words = await page.locator('[data-chart="gradient"] .plot').getAttribute("aria-valuetext");
  assert.match(words, /blocks \d+ to 96 are below what float32 resolves/);
  const reading = page.locator('.reading[data-placement="post"]');
  assert.match(await reading.textContent(), /below what float32 resolves/);
  await reading.getByRole("button", { name: "Compute in float64" }).click();
  assert.match(await href(page), /engine=reference/);
});

test("a device lost during a pass says so, keeps the curves and can be tried again", { timeout: SLOW }, async () => {
  const lossy = await site.page("depth=6&placement=pre", {}, () => {
    const request = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...rest) {
      return (window.lastDevice = await request.apply(this, rest));
    };
  });
  try {
    await settled(lossy, SLOW);
    await thumb(lossy).focus();
    await lossy.keyboard.press("End");
    await lossy.waitForTimeout(400);
    await lossy.evaluate(() => window.lastDevice.destroy());
    const notice = lossy.locator('[data-notice="trouble"]');
    await notice.waitFor();
    assert.match(await notice.textContent(), /device was lost during the pass for depth 200. What was computed before is kept/);
    assert.ok((await pixels(lossy, "stream", "data", BLUE)).drawn > 100, "the curves stay");
    await lossy.keyboard.press("Home");
    await settled(lossy, SLOW);
    assert.equal(await lossy.locator(".notice").count(), 0);
    await lossy.locator('.chip[data-placement="post"]').click();
    await settled(lossy, SLOW);
  } finally {
    await lossy.context().close();
  }
});

onPage("a wrong entry says what is allowed and loses nothing", "depth=6&placement=pre", {}, async (page) => {
  const width = page.locator('input[name="width"]');
  await width.fill("5000");
  await width.press("Enter");
  assert.match(await page.locator("#told-width").textContent(), /“5000” is not allowed: a whole number from 16 to 1024/);
  assert.equal(await width.inputValue(), "5000");
  assert.equal(await width.getAttribute("aria-invalid"), "true");
  assert.ok(!page.url().includes("width"));
  await width.press("Escape");
  assert.equal(await width.inputValue(), "64");
  await width.fill("66");
  await width.press("Enter");
  assert.match(await page.locator("#told-width").textContent(), /heads is now 3/);
  assert.equal(await page.locator('input[name="heads"]').inputValue(), "3");
  await settled(page, SLOW);
  await page.goBack();
  assert.equal(await page.locator('input[name="heads"]').inputValue(), "4");
  assert.equal(await page.locator("#told-width").isVisible(), false, "what was said holds no more");
  await settled(page, SLOW);
});

onPage("everything is reached and worked by keyboard", "depth=8", {}, async (page) => {
  const seen = [];
  await page.locator("body").press("Tab");
  for (let i = 0; i < 60; i++) {
    const here = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const ring = getComputedStyle(element.closest(".pick, .choice") ?? element);
      const name = element.getAttribute("name") ?? element.dataset.placement ?? element.dataset.option ?? element.className;
      return { name: String(name), visible: ring.outlineStyle !== "none" || element.matches(".slider input") };
    });
    if (!here) break;
    seen.push(here);
    await page.keyboard.press("Tab");
  }
  const names = seen.map(({ name }) => name);
  for (const name of ["mark", "copy", "step", "play", "post", "none", "linear", "table", "statistic", "plot", "preset", "init", "norm", "act", "width", "heads", "tokens", "seed", "seeds"]) {
    assert.ok(names.includes(name), `${name} in ${names}`);
  }
  assert.deepEqual(seen.filter(({ visible }) => !visible), [], "focus is visible everywhere");

  await thumb(page).focus();
  await page.keyboard.press("PageUp");
  assert.equal(await figure(page), 20);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await figure(page), 19);
  await page.keyboard.press(" ");
  assert.equal(await page.locator(".play").getAttribute("aria-label"), "Pause");
  await page.keyboard.press(" ");
  assert.match(await page.locator(".play").getAttribute("aria-label"), /^Play/);

  await page.locator('.chip[data-placement="post"]').focus();
  await page.keyboard.press(" ");
  assert.equal(await page.locator('.chip[data-placement="post"]').getAttribute("aria-checked"), "false");

  await page.locator('[data-chart="stream"] .plot').focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator('[data-chart="stream"] .plot').getAttribute("aria-valuetext"), /^block 1: Pre-LN \d/);
  assert.ok((await pixels(page, "gradient", "over", [0x16, 0x18, 0x1d])).near > 300, "the probe is linked");
  await page.keyboard.press("Escape");
  assert.equal((await pixels(page, "gradient", "over", [0, 0, 0])).drawn, 0);
});

onPage("a narrow page has the same choices in a list", "depth=6&placement=pre", { viewport: { width: 390, height: 844 } }, async (page) => {
  const list = page.locator('[data-chart="stream"] .options .list');
  assert.equal(await list.isVisible(), false);
  await page.locator('[data-chart="stream"] .dots').click();
  assert.equal(await list.isVisible(), true);
  await page.locator('[data-chart="stream"] h2').click();
  assert.equal(await list.isVisible(), false, "a press elsewhere closes it");
  await page.locator('[data-chart="stream"] .dots').click();
  await page.locator('[data-chart="stream"] [data-option="table"]').click();
  assert.equal(await list.isVisible(), false);
  assert.equal(await page.locator('[data-chart="stream"] tbody tr').count(), 7);
});

onPage("without a placement the charts ask for one", "depth=6&placement=pre", {}, async (page) => {
  await page.locator('.chip[data-placement="pre"]').click();
  assert.equal(await page.locator(".reading").count(), 0);
  assert.equal((await pixels(page, "stream", "data", BLUE)).near, 0);
  assert.equal(await page.locator('[data-chart="stream"] .plot').getAttribute("aria-valuetext"), "Choose a placement");
  for (const button of [".copy", ".play"]) {
    assert.equal(await page.locator(button).getAttribute("aria-disabled"), "true");
    assert.equal(await page.locator(button).getAttribute("aria-description"), "Choose a placement");
  }
  await page.locator(".play").click({ force: true });
  assert.match(await page.locator(".play").getAttribute("aria-label"), /^Play from 6 to 200/);
  assert.equal(await figure(page), 6);
  await page.locator('.chip[data-placement="pre"]').click();
  await settled(page, SLOW);
  assert.ok((await pixels(page, "stream", "data", BLUE)).near > 300);
});

onPage("with less motion play steps from name to name", "depth=6&placement=pre&width=16&tokens=4", { reducedMotion: "reduce" }, async (page) => {
  await page.locator(".play").click();
  await page.waitForFunction(() => document.querySelector(".depth .figure b").textContent === "12", null, { timeout: SLOW });
  await page.waitForFunction(() => document.querySelector(".depth .figure b").textContent === "24", null, { timeout: SLOW });
  await page.locator(".play").click();
});

onPage("the theme can be set and is kept", "depth=6&placement=pre", { colorScheme: "light" }, async (page) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await paper(), "rgb(255, 255, 255)");
  await page.getByRole("button", { name: "Dark theme" }).click();
  assert.equal(await paper(), "rgb(17, 19, 23)");
  await page.waitForTimeout(200);
  assert.ok((await pixels(page, "stream", "data", [0x3c, 0x97, 0xdb])).near > 300);
  await page.goto(address(site.server, "depth=6&placement=pre"));
  await settled(page, SLOW);
  assert.equal(await paper(), "rgb(17, 19, 23)");
});

onPage("three digits stay clear of the buttons beside them", "depth=6&placement=pre&width=16&tokens=4", {}, async (page) => {
  await page.locator(".depth .figure b").evaluate((figure) => (figure.textContent = "200"));
  for (const width of [1440, 1024, 820, 700, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const word = await page.locator(".depth .figure span").boundingBox();
    const buttons = await page.locator(".depth .buttons").boundingBox();
    assert.ok(word.x + word.width <= buttons.x, `${word.x + word.width} of ${buttons.x} at ${width}`);
  }
});

onPage("a pause and a start within a frame leave one sweep", "depth=6&placement=pre&width=16&tokens=4", {}, async (page) => {
  await page.locator(".play").evaluate((play) => {
    for (let i = 0; i < 5; i++) play.click();
  });
  await page.waitForFunction(() => Number(document.querySelector(".depth .figure b").textContent) > 7, null, { timeout: SLOW });
  assert.equal(await page.locator(".play").getAttribute("aria-label"), "Pause");
  await page.locator(".play").click();
  await page.waitForTimeout(1500);
  await page.goBack();
  assert.equal(await figure(page), 6, "the sweep is one step of the history");
});

for (const [width, height] of [[360, 640], [390, 844], [768, 1024], [1024, 768], [2560, 1440]]) {
  onPage(`the layout holds at ${width} x ${height}`, "depth=6", { viewport: { width, height } }, async (page) => {
    const { scroll, inner } = await page.evaluate(() => ({ scroll: document.scrollingElement.scrollWidth, inner: innerWidth }));
    assert.ok(scroll <= inner, `${scroll} px wide`);
    for (const chart of ["stream", "gradient"]) assert.ok((await pixels(page, chart, "data", BLUE)).near > 100);
    const small = await page.locator("button:visible, select:visible, summary:visible").evaluateAll((list, width) => {
      const least = width < 900 ? 44 : 24;
      const size = (element) => (element.closest(".pick, .choice") ?? element).getBoundingClientRect();
      return list.filter((e) => size(e).height < Math.min(least, 40) && !e.closest(".choice, .options")).map((e) => e.outerHTML.slice(0, 80));
    }, width);
    assert.deepEqual(small, []);
  });
}

const SMALL = "depth=6&width=16&heads=2&tokens=4&batch=1";

onPage("a drawn block shows how a gradient comes back, and which norms it cannot go around", `placement=post,pre,residual&${SMALL}`, {}, async (page) => {
  const drawn = (placement) => page.locator(`.reading[data-placement="${placement}"] .diagram`);
  const rings = async (placement) => drawn(placement).locator(".ring").count();
  assert.deepEqual([await rings("post"), await rings("pre"), await rings("residual")], [2, 0, 0]);
  assert.equal(await drawn("pre").locator(".back").count(), 3);
  assert.match(await drawn("post").getAttribute("aria-label"), /a gradient comes back through every norm/);
  assert.match(await drawn("pre").getAttribute("aria-label"), /past all norms/);
  assert.match(await page.locator(".drawn").textContent(), /how a gradient comes back.*cannot go around/s);
});

for (const [motion, name] of [["no-preference", "come"], ["reduce", "none"]]) {
  onPage(`norms move to their new place, with ${motion === "reduce" ? "less" : "full"} motion`, `placement=post&${SMALL}`, { reducedMotion: motion }, async (page) => {
    await page.evaluate(() => {
      window.came = [];
      document.addEventListener("animationstart", ({ animationName, target }) => window.came.push(`${animationName} ${target.getAttribute("class").trim()}`));
    });
    // Another placement in the stead of the one that is drawn.
    await page.locator('.chip[data-placement="post"]').click();
    await page.locator('.chip[data-placement="pre"]').click();
    const norms = page.locator('.reading[data-placement="pre"] .diagram .from114');
    assert.equal(await norms.count(), 2);
    assert.equal(await norms.first().evaluate((norm) => getComputedStyle(norm).animationName), name);
    await page.waitForTimeout(400);
    assert.deepEqual(await page.evaluate(() => window.came.filter((one) => one.startsWith("come"))), motion === "reduce" ? [] : ["come from114", "come from114"]);
    // Once: drawn anew for the part that is looked at, they stay.
    await page.locator(".reading .block").focus();
    await page.keyboard.press("Home");
    assert.equal(await norms.count(), 0);
  });
}

for (const width of [390, 360, 320]) {
  const viewport = { width, height: 844 };
  onPage(`at ${width} px the bar has the views and a list of the rest, within the window`, `placement=post,pre&${SMALL}`, { viewport }, async (page) => {
    const box = (selector) => page.locator(selector).first().boundingBox();
    const [mark, views, button, more, chip] = await Promise.all([".mark", ".views", ".more-tools", ".more-placements summary", ".chip"].map(box));
    if (width >= 360) assert.ok((await box(".mark .name")).width > 50);
    assert.ok(mark.x >= 0 && mark.x + mark.width <= views.x && views.x + views.width <= button.x, JSON.stringify({ mark, views, button }));
    assert.ok(button.width >= 44 && button.height >= 44 && button.x + button.width <= width, JSON.stringify(button));
    assert.equal(more.y, chip.y);
    assert.ok(!(await page.locator(".tools .copy").isVisible()));
    // By keyboard: into the list, and out of it.
    await page.locator(".more-tools").press("Enter");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "tour-start");
    const rows = await page.locator(".tools > :is(button, a):visible, .tools .languages a").evaluateAll((list) =>
      list.map((element) => ({ text: element.innerText, ...element.getBoundingClientRect().toJSON() })),
    );
    assert.deepEqual(rows.map(({ text }) => text.split("\n")[0]).filter(Boolean), ["Tour", "Copy link", "Embed", "Export", "Deutsch"]);
    for (const { text, height, left, right } of rows) assert.ok(height >= 44 && left >= 0 && right <= width, `${text}: ${height}, ${left} to ${right}`);
    await page.keyboard.press("Escape");
    assert.ok(!(await page.locator(".tools .copy").isVisible()));
    // By touch: the colours, for whose change the list stays, and what a press beside it closes.
    await page.locator(".more-tools").click();
    await page.getByRole("button", { name: "Dark theme" }).click();
    await page.getByRole("button", { name: "Light theme" }).click();
    await page.locator(".depth .figure").click();
    assert.ok(!(await page.locator(".tools .copy").isVisible()));
    // Turned, there is room for it in the bar.
    await page.locator(".more-tools").click();
    await page.setViewportSize({ width: 1300, height: 844 });
    await page.waitForFunction(() => !document.querySelector(".tools").matches(":popover-open"));
    assert.ok((await box(".tools .copy")).y < 56);
  });
}

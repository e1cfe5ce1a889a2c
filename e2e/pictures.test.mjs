// The page beside pictures of it that somebody has looked at: e2e/pictures/*.png, an eighth as large. What letters look
// like is left to the fonts of a machine; where things stand, and in which colour, is not.
//
//     NORMSCOPE_BLESS=1 node --test e2e/pictures.test.mjs     takes them anew
//
// A page that differs is left in target/pictures/, as it is.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT, settled } from "./browser.mjs";
import { SLOW, site } from "./pages.mjs";

const PLACE = join(ROOT, "e2e", "pictures");
/** Pixels to a side of a cell. */
const CELL = 8;
/** How far apart a channel of two cells may be, and which share of a part may be further: text set in another font. */
const APART = 28;
const MOST = 0.02;
/** The parts that are compared beside the whole: an empty chart is little of a large page. */
const PARTS = ".chart, .readings, .chips, .depth, .more, .panels, .filters, .claim";

const MODEL = "placement=post,pre&depth=48";
const SIZES = [[360, 740], [768, 1024], [1440, 900], [2560, 1440]];
const SHOTS = [
  ...SIZES.flatMap(([width, height]) => ["light", "dark"].map((theme) => ({ name: `explore-${width}-${theme}`, query: MODEL, width, height, theme }))),
  { name: "frame-600-light", query: MODEL, width: 600, height: 480, theme: "light", isFramed: true },
  { name: "gap-1440-light", query: "placement=post,pre,none&depth=96&width=16&heads=2&tokens=8&batch=1", width: 1440, height: 900, theme: "light" },
  { name: "kept-1440-dark", query: `${MODEL}&pin=post;depth:24~pre;depth:24&along=share`, width: 1440, height: 900, theme: "dark" },
  { name: "multiples-1440-light", query: "placement=post,pre,sandwich,olmo2&depth=24&multiples=1", width: 1440, height: 900, theme: "light" },
  { name: "large-1920-light", query: `${MODEL}&projector=1`, width: 1920, height: 1080, theme: "light" },
  { name: "atlas-1440-light", query: "view=atlas&placement=post,pre&deepest=12&width=16&heads=2&tokens=4&batch=1", width: 1440, height: 900, theme: "light", sweep: true },
  { name: "claims-1440-dark", query: "view=claims", width: 1440, height: 900, theme: "dark" },
];

/** In a page: the average colours of a picture's cells, as PNG. */
async function shrink([base64, cell]) {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
  const [columns, rows] = [Math.floor(width / cell), Math.floor(height / cell)];
  const small = new ImageData(columns, rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const sum = [0, 0, 0];
      for (let y = 0; y < cell; y++) {
        for (let x = 0; x < cell; x++) {
          const at = 4 * ((row * cell + y) * width + column * cell + x);
          for (let channel = 0; channel < 3; channel++) sum[channel] += data[at + channel];
        }
      }
      small.data.set([...sum.map((all) => Math.round(all / cell / cell)), 255], 4 * (row * columns + column));
    }
  }
  const out = new OffscreenCanvas(columns, rows);
  out.getContext("2d").putImageData(small, 0, 0);
  const bytes = new Uint8Array(await (await out.convertToBlob()).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}

/** In a page: for each part, a rectangle in cells, the share of cells of two pictures that are too far apart, and where. */
async function compare([one, other, apart, parts]) {
  const [a, b] = await Promise.all([one, other].map(async (base64) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  }));
  if (a.width !== b.width || a.height !== b.height) return [{ name: "page", share: 1, where: `${a.width} x ${a.height}, not ${b.width} x ${b.height}` }];
  return parts.map(({ name, left, top, right, bottom }) => {
    const far = [];
    let cells = 0;
    for (let y = Math.max(0, top); y < Math.min(bottom, a.height); y++) {
      for (let x = Math.max(0, left); x < Math.min(right, a.width); x++) {
        const at = 4 * (y * a.width + x);
        cells++;
        if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > apart)) far.push(`${x},${y}`);
      }
    }
    return { name, share: cells ? far.length / cells : 0, where: far.slice(0, 6).join(" ") };
  });
}

/** The parts of a page as rectangles in cells, and the whole. */
function partsOf([selector, cell]) {
  const of = (name, { left, top, right, bottom }) => ({ name, left: Math.floor(left / cell), top: Math.floor(top / cell), right: Math.ceil(right / cell), bottom: Math.ceil(bottom / cell) });
  const parts = [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility()).map((element) => of(element.dataset.chart ?? element.className, element.getBoundingClientRect()));
  return [of("page", { left: 0, top: 0, right: innerWidth, bottom: innerHeight }), ...parts];
}

for (const { name, query, width, height, theme, sweep, isFramed } of SHOTS) {
  test(`the picture of ${name}`, { timeout: SLOW }, async () => {
    const page = await site.page(query, { viewport: { width, height }, colorScheme: theme, deviceScaleFactor: 1, reducedMotion: "reduce" });
    const desk = await site.browser.newPage();
    try {
      // As boot.js does in a frame.
      if (isFramed) await page.evaluate(() => (document.documentElement.dataset.framed = ""));
      await settled(page, SLOW);
      if (sweep) {
        await page.locator(".sweep button").click();
        await page.waitForSelector('.sweep[data-sweep="done"]', { timeout: SLOW });
      }
      // What takes no pass is found at once, and what takes a few on a processor before long.
      if (query === "view=claims") await page.waitForFunction(() => document.querySelectorAll("[data-finding]").length === 2, null, { timeout: SLOW });
      // Numbers of one step of training come later, and times are those of the machine.
      await page.addStyleTag({ content: ".status, .sweep { visibility: hidden }" }).catch(() =>
        page.evaluate(() => document.querySelectorAll(".status, .sweep").forEach((element) => (element.style.visibility = "hidden"))),
      );
      const shot = await page.screenshot({ animations: "disabled", caret: "hide" });
      const small = await desk.evaluate(shrink, [shot.toString("base64"), CELL]);
      const file = join(PLACE, `${name}.png`);
      if (process.env.NORMSCOPE_BLESS) {
        await mkdir(PLACE, { recursive: true });
        await writeFile(file, Buffer.from(small, "base64"));
        return;
      }
      const parts = await page.evaluate(partsOf, [PARTS, CELL]);
      const found = await desk.evaluate(compare, [small, (await readFile(file)).toString("base64"), APART, parts]);
      const other = found.filter(({ share }) => share > MOST);
      if (other.length > 0) {
        const got = join(ROOT, "target", "pictures");
        await mkdir(got, { recursive: true });
        await writeFile(join(got, `${name}.png`), shot);
      }
      assert.deepEqual(other.map(({ name, share, where }) => `${name}: ${(100 * share).toFixed(1)} % of the cells differ, from ${where} on`), []);
    } finally {
      await page.context().close();
      await desk.close();
    }
  });
}

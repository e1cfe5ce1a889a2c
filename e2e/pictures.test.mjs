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
/** How far apart a channel of two cells may be, and how many cells may be further: text set in another font. */
const APART = 28;
const MOST = 0.02;

const MODEL = "placement=post,pre&depth=48";
const SIZES = [[360, 740], [768, 1024], [1440, 900], [2560, 1440]];
const SHOTS = [
  ...SIZES.flatMap(([width, height]) => ["light", "dark"].map((theme) => ({ name: `explore-${width}-${theme}`, query: MODEL, width, height, theme }))),
  { name: "frame-600-light", query: MODEL, width: 600, height: 480, theme: "light" },
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

/** In a page: the share of cells of two pictures that are too far apart, and where the first of them is. */
async function compare([one, other, apart]) {
  const [a, b] = await Promise.all([one, other].map(async (base64) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  }));
  if (a.width !== b.width || a.height !== b.height) return { share: 1, where: `${a.width} x ${a.height}, not ${b.width} x ${b.height}` };
  const far = [];
  for (let i = 0; i < a.data.length; i += 4) {
    if ([0, 1, 2].some((channel) => Math.abs(a.data[i + channel] - b.data[i + channel]) > apart)) far.push(i / 4);
  }
  const places = far.map((cell) => `${cell % a.width},${Math.floor(cell / a.width)}`);
  return { share: far.length / (a.width * a.height), where: places.slice(0, 8).join(" ") };
}

for (const { name, query, width, height, theme, sweep } of SHOTS) {
  test(`the picture of ${name}`, { timeout: SLOW }, async () => {
    const page = await site.page(query, { viewport: { width, height }, colorScheme: theme, deviceScaleFactor: 1, reducedMotion: "reduce" });
    const desk = await site.browser.newPage();
    try {
      await settled(page, SLOW);
      if (sweep) {
        await page.locator(".sweep button").click();
        await page.waitForSelector('.sweep[data-sweep="done"]', { timeout: SLOW });
      }
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
      const { share, where } = await desk.evaluate(compare, [small, (await readFile(file)).toString("base64"), APART]);
      if (share > MOST) {
        const got = join(ROOT, "target", "pictures");
        await mkdir(got, { recursive: true });
        await writeFile(join(got, `${name}.png`), shot);
      }
      assert.ok(share <= MOST, `${(100 * share).toFixed(1)} % of the cells differ, from ${where} on`);
    } finally {
      await page.context().close();
      await desk.close();
    }
  });
}

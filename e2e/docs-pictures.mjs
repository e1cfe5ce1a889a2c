// The pictures of README.md, taken of the page: docs/explore.png, docs/atlas.png, and the film docs/depth.webp, in which
// depth goes from 6 to 200.
//
//     node e2e/docs-pictures.mjs [FILTER]

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { open, settled, ROOT } from "./browser.mjs";

const SLOW = 600_000;
const DEPTHS = [6, 8, 10, 12, 16, 24, 32, 40, 48, 64, 80, 96, 128, 200];
const FRAME_MS = 340;
const REST_MS = 2400;
/** Of a picture of the film, 0 to 1. */
const QUALITY = 0.45;
const MOST_BYTES = 300_000;

const chunk = (name, data) => {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
};

/** The chunks of a WebP that hold its picture (https://developers.google.com/speed/webp/docs/riff_container). */
function imageOf(webp) {
  const held = [];
  for (let at = 12; at < webp.length; ) {
    const [name, length] = [webp.toString("latin1", at, at + 4), webp.readUInt32LE(at + 4)];
    if (["ALPH", "VP8 ", "VP8L"].includes(name)) held.push(chunk(name, webp.subarray(at + 8, at + 8 + length)));
    at += 8 + length + (length % 2);
  }
  return Buffer.concat(held);
}

/** Pictures of one size as a film that begins anew at its end. */
function film(frames, width, height) {
  const uint24 = (...values) => Buffer.concat(values.map((value) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16])));
  const animated = 1 << 1;
  const header = chunk("VP8X", Buffer.concat([Buffer.from([animated, 0, 0, 0]), uint24(width - 1, height - 1)]));
  const control = chunk("ANIM", Buffer.from([255, 255, 255, 255, 0, 0]));
  const all = frames.map(({ webp, ms }) => {
    const opaque = 1 << 1;
    return chunk("ANMF", Buffer.concat([uint24(0, 0, width - 1, height - 1, ms), Buffer.from([opaque]), imageOf(webp)]));
  });
  const body = Buffer.concat([Buffer.from("WEBP"), header, control, ...all]);
  return chunk("RIFF", body);
}

/** In a page: a PNG as a lossy WebP of another size. */
async function toWebp([base64, width, height, quality]) {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, width, height);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/webp", quality })).arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

async function keep(name, bytes) {
  if (bytes.length > MOST_BYTES) throw new Error(`docs/${name} has ${bytes.length} bytes, more than ${MOST_BYTES}`);
  await writeFile(join(ROOT, "docs", name), bytes);
  console.log(`docs/${name}: ${bytes.length} bytes`);
}

const wanted = new RegExp(process.argv[2] ?? "");
const site = await open();
try {
  if (wanted.test("explore.png")) await explore();
  if (wanted.test("atlas.png")) await atlas();
  if (wanted.test("depth.webp")) await depth();
} finally {
  await site.close();
}

async function explore() {
  const page = await site.page("depth=96", { deviceScaleFactor: 1 });
  await settled(page, SLOW);
  await keep("explore.png", await page.screenshot());
}

async function atlas() {
  const page = await site.page("view=atlas&placement=post,pre,olmo2&deepest=96&depth=48", { deviceScaleFactor: 1 });
  await page.locator(".sweep button").click();
  await page.waitForSelector('.sweep[data-sweep="done"]', { timeout: SLOW });
  await page.waitForTimeout(500);
  await keep("atlas.png", await page.screenshot());
}

async function depth() {
  const [width, height] = [600, 480];
  const desk = await site.browser.newPage();
  const moving = await site.page("depth=6", { viewport: { width, height }, deviceScaleFactor: 1 });
  // As it is in a frame: depth, charts and sentences alone.
  await moving.evaluate(() => (document.documentElement.dataset.framed = ""));
  const frames = [];
  for (const depth of DEPTHS) {
    await moving.locator(".slider input").fill(String(depth));
    await settled(moving, SLOW);
    const webp = await desk.evaluate(toWebp, [(await moving.screenshot()).toString("base64"), width, height, QUALITY]);
    frames.push({ webp: Buffer.from(webp, "base64"), ms: depth === DEPTHS.at(-1) ? REST_MS : FRAME_MS });
  }
  await keep("depth.webp", film(frames, width, height));
}

// Makes the page one file that opens from a disk or a mail, without a network, out of the release in dist/.
//
//     node scripts/single-file.mjs [FILE] [FOLDER]     (dist-single/normscope.html, dist by default)

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { ADDRESS } from "./addresses.mjs";
import { TYPES } from "./serve.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const file = process.argv[2] ?? join(HERE, "..", "dist-single", "normscope.html");
const folder = process.argv[3] ?? join(HERE, "..", "dist");

const read = (name) => readFile(join(folder, name));
const base64 = (data) => Buffer.from(data).toString("base64");
const source = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

let page = (await read("index.html")).toString();

/** Puts something in the place of what a pattern finds; the first time, or each time where the pattern is global. */
function change(pattern, to) {
  if (page.search(pattern) < 0) throw new Error(`${folder}/index.html has no ${pattern}: build it with make build`);
  page = page.replace(pattern, to);
}

const SHEET = /<link rel="stylesheet" href="([^"]*)"\/>\s*/g;
const BOOT = /<script type="module" src="[^>]*><\/script>/;

const sheets = [...page.matchAll(SHEET)].map(([, name]) => read(name));
const style = Buffer.concat(await Promise.all(sheets)).toString();

// The tag of boot.js is kept as it is, but for the service worker, which has no place on a disk.
const tag = page.match(BOOT)[0].replace(/ data-worker="[^"]*"/, "");
const names = new Set();
/** Takes a file, after those that it names. */
async function take(name) {
  if (names.has(name)) return;
  const isModule = name.endsWith(".js") && !name.startsWith("./normscope-page");
  const named = isModule ? (await read(name)).toString().match(ADDRESS) : [];
  for (const other of named ?? []) await take(other);
  names.add(name);
}
for (const name of tag.match(ADDRESS)) await take(name);
const files = [...names].map(async (name) => {
  const packed = base64(gzipSync(await read(name), { level: 9 }));
  return `<script type="application/gzip" data-packed="${name}" data-type="${TYPES[extname(name)]}">${packed}</script>`;
});
const unpack = await readFile(join(HERE, "unpack.js"), "utf8");
const parts = [`<style>${style}</style>`, `<template>${tag}</template>`, ...(await Promise.all(files)), `<script type="module">${unpack}</script>`];

const icon = await read(page.match(/<link rel="icon"[^>]* href="([^"]*)"/)[1]);
const policy = [
  "default-src 'none'",
  // Only scripts can make addresses in memory, and the first of them is this one.
  `script-src ${source(unpack)} blob: 'wasm-unsafe-eval'`,
  `style-src ${source(style)}`,
  "img-src data: blob:",
  "connect-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

change(/(Content-Security-Policy" content=")[^"]*/, (_, before) => before + policy);
change(/(<link rel="icon"[^>]* href=")[^"]*/, (_, before) => `${before}data:image/svg+xml;base64,${base64(icon)}`);
change(/<link rel="(modulepreload|preload)"[^>]*>/g, "");
change(SHEET, "");
change(BOOT, () => parts.join("\n    "));

await mkdir(dirname(file), { recursive: true });
await writeFile(file, page);
console.log(`${file}: ${Math.round(page.length / 1024)} KiB`);

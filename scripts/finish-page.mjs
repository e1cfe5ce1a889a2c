// Trunk runs this after bundling (`hooks` in Trunk.toml). It puts the texts of each language into one file, whose name
// the tag of boot.js then has, makes the WebAssembly of the release page smaller, and gives it a strict
// Content-Security-Policy, which works from any static host. A debug page has none, since `trunk serve` reloads it through an inline script.

import { createHash } from "node:crypto";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { put, shrink } from "./shrink-wasm.mjs";

const POLICY = {
  "default-src": "'none'",
  "script-src": "'self' 'wasm-unsafe-eval'",
  "style-src": "'self' 'unsafe-inline'",
  "img-src": "'self' data: blob:",
  "font-src": "'self'",
  "connect-src": "'self'",
  "worker-src": "'self'",
  "manifest-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
};

/** All texts of the language in a folder, by `part.name`, in the order of the names. */
async function texts(folder) {
  const all = {};
  for (const file of (await readdir(folder)).sort()) {
    const part = basename(file, ".json");
    for (const [name, text] of Object.entries(JSON.parse(await readFile(join(folder, file), "utf8")))) all[`${part}.${name}`] = text;
  }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const staging = process.env.TRUNK_STAGING_DIR;
const source = join(process.env.TRUNK_SOURCE_DIR, "texts");
const files = {};
for (const language of (await readdir(source)).sort()) {
  const json = JSON.stringify(await texts(join(source, language)));
  files[language] = `texts-${language}-${createHash("sha256").update(json).digest("hex").slice(0, 16)}.json`;
  await writeFile(join(staging, files[language]), json);
}

const file = join(staging, "index.html");
let page = await readFile(file, "utf8");
page = put(page, "data-texts", `data-texts='${JSON.stringify(files)}'`);
if (process.env.TRUNK_PROFILE === "release") {
  const built = async (pattern) => join(staging, (await readdir(staging)).find((name) => pattern.test(name)));
  await shrink(await built(/^normscope-page-.*_bg\.wasm$/), await built(/^normscope-page-[^_]*\.js$/));
  const content = Object.entries(POLICY).map((rule) => rule.join(" ")).join("; ");
  // Before anything that loads something, but after the encoding.
  const charset = `<meta charset="utf-8">`;
  page = put(page, charset, `${charset}\n<meta http-equiv="Content-Security-Policy" content="${content}">`);
}
await writeFile(file, page);

// The pages beside it name style sheets as they are in style/.
const built = await readdir(staging);
for (const name of ["embed.html", "gallery.html"]) {
  const beside = await readFile(join(staging, name), "utf8");
  const linked = beside.replace(/href="style\/(\w+)\.css"/g, (_, stem) => {
    const sheet = built.find((file) => file === `${stem}.css` || new RegExp(`^${stem}-[0-9a-f]{16}\\.css$`).test(file));
    if (!sheet) throw new Error(`${name} names style/${stem}.css, which is not in the build`);
    return `href="${sheet}"`;
  });
  await writeFile(join(staging, name), linked);
}

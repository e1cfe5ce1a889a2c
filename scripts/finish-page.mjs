// Trunk runs this after bundling (`hooks` in Trunk.toml). It puts the texts of each language into one file, whose name
// the tags of boot.js then have, and names every file after what is in it. What it does to a release besides: it makes the
// WebAssembly smaller, gives the page a strict Content-Security-Policy, which works from any static host, and writes the
// service worker and the headers for hosts that take them from a file. A debug page has none of these, since
// `trunk serve` reloads it through an inline script.

import { createHash } from "node:crypto";
import { readFile, readdir, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { ADDRESS } from "./addresses.mjs";
import { put, shrink } from "./shrink-wasm.mjs";

const POLICY = {
  "default-src": "'none'",
  "script-src": "'self' 'wasm-unsafe-eval'",
  "style-src": "'self'",
  "img-src": "'self' data: blob:",
  "font-src": "'self'",
  "connect-src": "'self'",
  "worker-src": "'self'",
  "manifest-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
};
/** Files that others know by name. */
const FIXED = ["index.html", "embed.html", "gallery.html", "norm-scope.js"];
/** What Trunk or this script has named after its content. */
const HASH = /-[0-9a-f]{12,16}(?=[._])/;

const hash = (data) => createHash("sha256").update(data).digest("hex").slice(0, 16);

/** All texts of the language in a folder, by `part.name`, in the order of the names. */
async function texts(folder) {
  const all = {};
  for (const file of (await readdir(folder)).sort()) {
    const part = basename(file, ".json");
    for (const [name, text] of Object.entries(JSON.parse(await readFile(join(folder, file), "utf8")))) all[`${part}.${name}`] = text;
  }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A policy as text. */
const policyOf = (rules) => Object.entries(rules).map((rule) => rule.join(" ")).join("; ");

/** Puts a policy into a page: before anything that loads something, but after the encoding. */
function withPolicy(text, rules) {
  const charset = `<meta charset="utf-8">`;
  return put(text, charset, `${charset}\n<meta http-equiv="Content-Security-Policy" content="${policyOf(rules)}">`);
}

/** A list of headers as Netlify and Cloudflare Pages read it, for a release at the root of a site. */
function headers(policy, files) {
  const rule = (path, headers) => [path, ...Object.entries(headers).map((header) => `  ${header.join(": ")}`)];
  return [
    ...rule("/*", {
      // A frame that is sandboxed has no origin, and asks for every script and text across origins.
      "Access-Control-Allow-Origin": "*",
      "Content-Security-Policy": `${policy}; frame-ancestors *`,
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    }),
    ...["/", "/index.html", "/sw.js"].flatMap((path) => rule(path, { "Cache-Control": "no-cache" })),
    ...files.flatMap((file) => rule(`/${file}`, { "Cache-Control": "public, max-age=31536000, immutable" })),
    "",
  ].join("\n");
}

const source = process.env.TRUNK_SOURCE_DIR;
const staging = process.env.TRUNK_STAGING_DIR;
const isRelease = process.env.TRUNK_PROFILE === "release";
const page = { file: join(staging, "index.html") };
page.text = await readFile(page.file, "utf8");

if (isRelease) {
  const built = async (pattern) => join(staging, (await readdir(staging)).find((name) => pattern.test(name)));
  await shrink(await built(/^normscope-page-.*_bg\.wasm$/), await built(/^normscope-page-[^_]*\.js$/));
}

const languages = {};
for (const language of (await readdir(join(source, "texts"))).sort()) {
  languages[language] = `./texts-${language}.json`;
  await writeFile(join(staging, languages[language]), JSON.stringify(await texts(join(source, "texts", language))));
}
/** Puts their names into the tag of boot.js. */
const withTexts = (text) => put(text, "data-texts", `data-texts='${JSON.stringify(languages)}'`);
page.text = withTexts(page.text);

// Every other file gets its name after those that it names itself. The hash of Trunk is of the file before it was shrunk.
const plain = (name) => name.replace(HASH, "");
const files = [];
const names = new Map();
const withNames = (text) => text.replace(ADDRESS, (address) => `./${names.get(address.slice(2)) ?? address.slice(2)}`);
const isText = (name) => /\.(js|html)$/.test(name) && !/^normscope-page/.test(name);
let waiting = (await readdir(staging)).filter((name) => !FIXED.includes(name)).sort();
while (waiting.length > 0) {
  const later = [];
  for (const name of waiting) {
    const content = await readFile(join(staging, name));
    const named = isText(name) ? content.toString().match(ADDRESS) ?? [] : [];
    if (named.some((address) => waiting.some((other) => other !== name && plain(other) === address.slice(2)))) {
      later.push(name);
      continue;
    }
    const finished = isText(name) ? withNames(content.toString()) : content;
    const hashed = plain(name).replace(/(?=(_bg)?\.\w+$)/, `-${hash(finished)}`);
    await rename(join(staging, name), join(staging, hashed));
    if (isText(name)) await writeFile(join(staging, hashed), finished);
    page.text = page.text.replaceAll(name, hashed);
    names.set(plain(name), hashed);
    files.push(hashed);
  }
  if (later.length === waiting.length) throw new Error(`files that name each other: ${later}`);
  waiting = later;
}
if (isRelease) {
  page.text = withPolicy(page.text, POLICY);
  // The page has the names of all files, and so its hash is one over all that is in them.
  let worker = await readFile(join(source, "sw.js"), "utf8");
  const release = hash(page.text + worker);
  page.text = put(page.text, "data-texts", `data-worker="./sw.js" data-release="${release}" data-texts`);
  worker = put(worker, `RELEASE = ""`, `RELEASE = "${release}"`);
  worker = put(worker, "FILES = []", `FILES = ${JSON.stringify(files)}`);
  await writeFile(join(staging, "sw.js"), worker);
  await writeFile(join(staging, "_headers"), headers(policyOf({ ...POLICY, "frame-src": "'self'" }), files));
}
await writeFile(page.file, page.text);
for (const name of FIXED.filter((name) => name !== "index.html")) {
  const isPage = name.endsWith(".html");
  let text = await readFile(join(staging, name), "utf8");
  text = withNames(isPage ? withTexts(text) : text);
  if (isRelease && isPage) text = withPolicy(text, { ...POLICY, "frame-src": "'self'" });
  await writeFile(join(staging, name), text);
}

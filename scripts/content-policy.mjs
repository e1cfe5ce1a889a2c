// Trunk runs this after bundling (`hooks` in Trunk.toml): the release page gets a strict Content-Security-Policy, which
// works from any static host. A debug page has none, since `trunk serve` reloads it through an inline script.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

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

if (process.env.TRUNK_PROFILE === "release") {
  const file = join(process.env.TRUNK_STAGING_DIR, "index.html");
  const page = await readFile(file, "utf8");
  const content = Object.entries(POLICY).map((rule) => rule.join(" ")).join("; ");
  const tag = `<meta http-equiv="Content-Security-Policy" content="${content}">`;
  // Before anything that loads something, but after the encoding.
  const strict = page.replace(/<meta charset=[^>]*>/i, (charset) => `${charset}\n${tag}`);
  if (strict === page) throw new Error("index.html has no <meta charset=...> to put the Content-Security-Policy after");
  await writeFile(file, strict);
}

// `make bench`: runs the sections, prints their tables and keeps what was measured in bench/results/.
//
//     node bench/bench.mjs [SECTION...]      (all of them by default)
//
// Each result has the machine and the date in it, and replaces the one before. The README's tables are made from these
// files by bench/readme.mjs.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, launch } from "./lib/browser.mjs";
import { machine } from "./lib/machine.mjs";
import { RESULTS, SECTIONS } from "./sections/index.mjs";

const asked = process.argv.slice(2).flatMap((word) => word.split(",")).filter(Boolean);
const unknown = asked.filter((name) => !(name in SECTIONS));
if (unknown.length > 0) {
  console.error(`error: no section ${unknown.join(", ")}; there are ${Object.keys(SECTIONS).join(", ")}`);
  process.exit(2);
}

const browser = await launch();
const where = await describe(browser);
await browser.close();
await mkdir(RESULTS, { recursive: true });
for (const name of asked.length > 0 ? asked : Object.keys(SECTIONS)) {
  const section = SECTIONS[name];
  console.log(`\n== ${name}: ${section.title}`);
  const start = performance.now();
  const on = { ...machine(), ...where };
  const result = { section: name, machine: on, ...(await section.run((text) => console.log(`   ${text} ...`))) };
  await writeFile(join(RESULTS, `${name}.json`), `${JSON.stringify(result, null, 1)}\n`);
  console.log(`\n${section.show(result)}\n\n   ${name}: done in ${Math.round((performance.now() - start) / 1000)} s`);
}

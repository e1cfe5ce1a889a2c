// Writes what was measured (bench/results/*.json) as tables: all of them to bench/results/README.md, the peers' and a
// summary of the others to the README's section "Speed".
//
//     node bench/readme.mjs

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "../e2e/browser.mjs";
import { table } from "./lib/table.mjs";
import { RESULTS, SECTIONS } from "./sections/index.mjs";

const README = join(ROOT, "README.md");
const BEGIN = "<!-- bench: from here on written by bench/readme.mjs -->";
const END = "<!-- bench: end -->";
/** Processes beside the benchmark from which on its times say less. */
const BUSY = 0.5;

/** One line on where and when. */
function on({ processor, cores, memory_gib, browser, adapter, date, load_before }) {
  const busy = load_before > BUSY ? `, ${load_before} other processes at work when it began` : "";
  const hardware = `${processor}, ${cores} cores, ${memory_gib} GiB`;
  return `${hardware}; ${browser}, WebGPU on ${adapter}; ${date.slice(0, 10)}${busy}.`;
}

/** The files that say what was measured, with their texts. */
export async function written() {
  const measured = new Map();
  for (const name of Object.keys(SECTIONS)) {
    const file = join(RESULTS, `${name}.json`);
    if (existsSync(file)) measured.set(name, JSON.parse(await readFile(file, "utf8")));
  }

  const whole = [...measured].map(([name, result]) => {
    const { title, show } = SECTIONS[name];
    return `## ${title}\n\n${on(result.machine)}\n\n${show(result)}\n`;
  });
  const preface = "`make bench` writes it from the JSON files beside it; [the rules](../../README.md#speed).";
  const results = ["# What was measured", preface, ...whole].join("\n\n");

  const parts = [];
  const peers = measured.get("peers");
  if (peers) parts.push(SECTIONS.peers.show(peers), on(peers.machine));
  const rows = [...measured].flatMap(([name, result]) => SECTIONS[name].summary?.(result) ?? []);
  if (rows.length > 0) parts.push(table(["", "measured"], rows));
  const text = await readFile(README, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`README.md lacks the lines ${BEGIN} and ${END}`);
  return new Map([
    [join(RESULTS, "README.md"), results],
    [README, `${text.slice(0, begin + BEGIN.length)}\n\n${parts.join("\n\n")}\n\n${text.slice(end)}`],
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of await written()) await writeFile(file, text);
}

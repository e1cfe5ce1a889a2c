// What the benchmark says of its results, from the results that are kept.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";
import { written } from "../bench/readme.mjs";
import { RESULTS, SECTIONS } from "../bench/sections/index.mjs";

const kept = (await readdir(RESULTS)).filter((file) => file.endsWith(".json"));

test("results of every section are kept, each with its machine and date", async () => {
  assert.deepEqual(kept.map((file) => basename(file, ".json")).sort(), Object.keys(SECTIONS).sort());
  for (const file of kept) {
    const { section, machine } = JSON.parse(await readFile(join(RESULTS, file), "utf8"));
    assert.equal(`${section}.json`, file);
    for (const key of ["processor", "cores", "memory_gib", "browser", "adapter", "date"]) assert.ok(machine[key], `${file}: ${key}`);
  }
});

test("tables and README are those of the results", async () => {
  for (const [file, text] of await written()) {
    assert.equal(await readFile(file, "utf8"), text, `${basename(file)} is not what bench/readme.mjs writes`);
    const tables = text.split("\n").filter((line) => line.startsWith("|") && /\d/.test(line));
    assert.ok(tables.length > 10, file);
    for (const line of tables) assert.doesNotMatch(line, /\b(undefined|null|Infinity)\b|\bNaN \|/, file);
  }
});

test("what is not there is an error, not a gap in a table", async () => {
  for (const file of kept) {
    const result = JSON.parse(await readFile(join(RESULTS, file), "utf8"));
    const { show, summary } = SECTIONS[result.section];
    assert.ok(show(result).split("\n").length > 2, file);
    assert.throws(() => show({ section: result.section, machine: result.machine }), file);
    for (const [what, value] of summary?.(result) ?? []) assert.ok(what && value, file);
  }
});

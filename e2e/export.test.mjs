// Pictures, numbers, scripts and films go out; curves come in.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { settled } from "./browser.mjs";
import { SLOW, onPage } from "./pages.mjs";

const QUICK = "placement=post,pre&depth=8&width=16&tokens=4&batch=1&heads=2&statistic=grad_stream";

/** Chooses an export and reads the file. */
async function exported(page, kind) {
  await page.locator("button.export").click();
  const download = page.waitForEvent("download", { timeout: SLOW });
  await page.locator(`[data-export="${kind}"]`).click();
  const file = await download;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

onPage("pictures: PNG at three sizes, SVG", QUICK, {}, async (page) => {
  const sizes = [];
  for (const kind of ["png1", "png2", "png3"]) {
    const { name, bytes } = await exported(page, kind);
    assert.equal(name, "normscope.png");
    assert.deepEqual([...bytes.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
    sizes.push([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]);
    assert.ok(bytes.length > 10_000, `${bytes.length} bytes have no curve in them`);
  }
  assert.deepEqual(sizes[1], sizes[0].map((length) => 2 * length));
  assert.deepEqual(sizes[2], sizes[0].map((length) => 3 * length));
  const { bytes } = await exported(page, "svg");
  const text = bytes.toString();
  const found = await page.evaluate((text) => {
    const svg = new DOMParser().parseFromString(text, "image/svg+xml");
    const words = [...svg.querySelectorAll("text")].map((node) => node.textContent);
    return { broken: svg.querySelector("parsererror")?.textContent, lines: svg.querySelectorAll("polyline").length, words };
  }, text);
  assert.equal(found.broken, undefined);
  assert.ok(found.lines > 10);
  for (const word of [/Residual stream/, /^Post-LN$/, /^Pre-LN$/, /http.*depth=8/]) assert.ok(found.words.some((text) => word.test(text)), `${word} in ${found.words}`);
});

onPage("of the atlas: every depth's numbers, and its maps as a picture", `view=atlas&deepest=12&${QUICK}`, {}, async (page) => {
  const table = async () => (await exported(page, "csv")).bytes.toString().trim().split("\n").map((line) => line.split(","));
  await page.locator(".sweep button").click();
  await page.waitForFunction(() => document.querySelector(".sweep").dataset.sweep === "done", null, { timeout: SLOW });
  const [head, ...rows] = await table();
  assert.deepEqual(head, ["model", "depth", "seed", "statistic", "block", "value", "mark"]);
  // A state more than blocks, at depths from 6 to 12, of two placements.
  assert.equal(rows.length, 2 * [6, 7, 8, 9, 10, 11, 12].reduce((sum, depth) => sum + depth + 1, 0));
  assert.deepEqual([...new Set(rows.map((row) => row[3]))], ["grad_stream"]);
  const json = JSON.parse((await exported(page, "json")).bytes);
  assert.equal(json.settled, true);
  assert.equal(json.runs.length, 14);
  // Against the module's own run of one depth.
  const run = JSON.parse(
    await page.evaluate(async () => {
      const { measure } = await import(document.querySelector("script[data-js]").dataset.js);
      return measure("placement=pre&depth=9&width=16&tokens=4&batch=1&heads=2");
    }),
  );
  const own = rows.filter((row) => row[0] === "Pre-LN" && row[1] === "9").map((row) => Number(row[5]));
  own.forEach((value, block) => assert.ok(Math.abs(value / run.grad_stream[block] - 1) < 1e-4, `${block}: ${value}, ${run.grad_stream[block]}`));
  assert.equal(own.length, 10);

  const svg = (await exported(page, "svg")).bytes.toString();
  const found = await page.evaluate((text) => {
    const svg = new DOMParser().parseFromString(text, "image/svg+xml");
    return { broken: svg.querySelector("parsererror")?.textContent, images: [...svg.querySelectorAll("image")].map((image) => image.getAttribute("href").length), words: [...svg.querySelectorAll("text")].map((node) => node.textContent) };
  }, svg);
  assert.equal(found.broken, undefined);
  // The key of the colours, and a map a placement.
  assert.equal(found.images.length, 3);
  assert.ok(found.images.every((length) => length > 500), `${found.images}`);
  for (const word of [/^Post-LN/, /^Pre-LN/, /^12$/]) assert.ok(found.words.some((text) => word.test(text)), `${word} in ${found.words}`);
  assert.ok((await exported(page, "png2")).bytes.length > 20_000);
});

onPage("numbers: CSV and JSON say what the page says", QUICK, {}, async (page) => {
  const json = JSON.parse((await exported(page, "json")).bytes);
  assert.equal(json.schema, 1);
  assert.match(json.link, /depth=8/);
  assert.match(json.date, /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual(json.runs.map(({ config }) => config.placement), ["post", "pre"]);
  assert.equal(json.runs[0].engine, "gpu");
  // The same run by the module itself.
  const run = JSON.parse(
    await page.evaluate(async () => {
      const { measure } = await import(document.querySelector("script[data-js]").dataset.js);
      return measure("placement=post&depth=8&width=16&tokens=4&batch=1&heads=2");
    }),
  );
  assert.deepEqual(json.runs[0].stream_rms, run.stream_rms);
  const lines = (await exported(page, "csv")).bytes.toString().trim().split("\n");
  assert.equal(lines[0], "model,depth,seed,statistic,block,value,mark");
  const of = (quantity) => lines.filter((line) => line.startsWith("Post-LN,8,0,") && line.split(",")[3] === quantity).map((line) => Number(line.split(",")[5]));
  assert.deepEqual(of("grad_weight.w2"), run.grad_weight.w2);
  assert.deepEqual(of("loss"), [run.loss]);
});

onPage("scripts and citations", QUICK, {}, async (page) => {
  for (const library of ["jax", "torch"]) {
    const { name, bytes } = await exported(page, library);
    assert.equal(name, `normscope_${library}.py`);
    assert.match(bytes.toString(), /^QUERY = "v=1&.*depth=8.*"$/m);
    assert.match(bytes.toString(), /^# Link: http/m);
  }
  assert.match((await exported(page, "bibtex")).bytes.toString(), /@\w+\{/);
});

onPage("a film of the depth", QUICK.replace("depth=8", "depth=120") + "&speed=4", {}, async (page) => {
  const { name, bytes } = await exported(page, "video");
  assert.equal(name, "normscope.webm");
  // EBML.
  assert.deepEqual([...bytes.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]);
  assert.ok(bytes.length > 20_000, String(bytes.length));
  await settled(page, SLOW);
  assert.equal(await page.locator(".depth .figure b").textContent(), "120");
});

onPage("where the browser records nothing, the film is its frames", QUICK.replace("depth=8", "depth=120") + "&speed=4", {
  prepare: () => delete window.MediaRecorder,
}, async (page) => {
  const { name, bytes } = await exported(page, "video");
  assert.equal(name, "normscope-frames.zip");
  const end = bytes.length - 22;
  assert.equal(bytes.readUInt32LE(end), 0x06054b50);
  assert.ok(bytes.readUInt16LE(end + 10) > 5, "some frames");
});

/** Brings files in. */
async function bring(page, ...files) {
  await page.locator("button.export").click();
  const chooser = page.waitForEvent("filechooser");
  await page.locator('[data-export="import"]').click();
  await (await chooser).setFiles(files.map(({ name, text }) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })));
}

onPage("what went out comes in as curves to compare with", QUICK, {}, async (page) => {
  const csv = (await exported(page, "csv")).bytes.toString();
  const json = (await exported(page, "json")).bytes.toString();
  await bring(page, { name: "own.csv", text: csv }, { name: "own.json", text: json });
  await page.waitForFunction(() => document.querySelectorAll("[data-imported]").length === 4);
  assert.match(await page.locator("[data-imported]").first().textContent(), /A.*Post-LN/);
  // The same numbers, beside those measured.
  const cells = async (row) => (await page.locator(row).first().locator("td").allTextContents()).slice(0, 5);
  assert.deepEqual(await cells("[data-imported]"), await cells('tr[data-placement="post"]'));
  // And in the table of a chart.
  const chart = page.locator('.chart[data-chart="stream"]');
  await chart.locator('[data-option="table"]').click();
  assert.match(await chart.locator("table thead").textContent(), /A.*B.*C.*D/);
  await page.locator("[data-imported] button").first().click();
  await page.waitForFunction(() => document.querySelectorAll("[data-imported]").length === 3);
});

onPage("a file of a hook, without names and depth", QUICK, {}, async (page) => {
  const rows = [1, 2, 3, 4].map((value, layer) => `stream_rms,${layer},${value}`);
  await bring(page, { name: "mine.csv", text: ["statistic,block,value", ...rows].join("\n") });
  await page.waitForSelector("[data-imported]");
  assert.match(await page.locator("[data-imported]").textContent(), /A.*mine/);
  assert.deepEqual((await page.locator("[data-imported] td").allTextContents()).slice(0, 2).map(Number), [3, 4]);
});

for (const [what, name, text, why] of [
  ["a number that is none", "a.csv", "statistic,block,value\nstream_rms,0,1\nstream_rms,1,one", /a\.csv: line 3: the value “one” is no number/],
  ["a column that is missing", "b.csv", "statistic,value\nstream_rms,1", /b\.csv: line 1: there is no column “block”/],
  ["a block that is missing", "c.csv", "statistic,block,value\nstream_rms,0,1\nstream_rms,2,1", /c\.csv: c: stream_rms lacks its value 1/],
  ["a quantity there is not", "d.csv", "statistic,block,value\nbeauty,0,1", /d\.csv: there is no quantity beauty/],
  ["broken JSON", "e.json", '{"runs": [', /e\.json: it is no JSON/],
  ["values that do not fit the depth", "f.json", '{"config":{"depth":5},"stream_rms":[1,2,3]}', /f\.json: stream_rms has 3 values; a model of this depth has 6/],
  ["a depth that is none", "h.json", '{"config":{"depth":2.5},"stream_rms":[1,2,3]}', /h\.json: a model has 1 to 200 blocks; this one has 2\.5/],
  ["a name that objects have", "i.csv", "statistic,block,value\n__proto__,1,5", /i\.csv: there is no quantity __proto__/],
  ["more models than are kept", "j.json", JSON.stringify({ runs: Array(7).fill({ config: { depth: 1 }, stream_rms: [1, 2] }) }), /j\.json: No more than 6/],
  ["another file", "g.png", "\u0089PNG", /g\.png: line 1: there is no column/],
]) {
  onPage(`a file is refused with line and reason: ${what}`, QUICK, {}, async (page) => {
    await bring(page, { name, text });
    await page.waitForSelector('[data-notice="told"]');
    assert.match(await page.locator('[data-notice="told"]').textContent(), why);
    assert.equal(await page.locator("[data-imported]").count(), 0);
    // What is right comes in all the same.
    await bring(page, { name: "right.csv", text: "statistic,block,value\nstream_rms,0,1\nstream_rms,1,2" });
    await page.waitForSelector("[data-imported]");
  });
}

onPage("a German reader is told why files are refused", QUICK, { locale: "de-DE" }, async (page) => {
  const table = (...rows) => ["statistic,block,value", ...rows].join("\n");
  const refused = {
    "a.csv": [table("stream_rms,0,1", "stream_rms,1,eins"), "Zeile 3: der Wert „eins“ ist keine Zahl"],
    "b.csv": ["statistic,value\nstream_rms,1", "Zeile 1: die Spalte „block“ fehlt (Spalten: statistic, value)"],
    "c.csv": [table("stream_rms,0,1,2"), "Zeile 2: die Zahl ihrer Zellen ist 4, die der ersten Zeile 3"],
    "d.csv": [table("stream_rms,x,1"), "Zeile 2: der Block „x“ ist keine ganze Zahl"],
    "e.csv": [table("stream_rms,0,1", "stream_rms,0,1"), "Zeile 3: stream_rms hat Block 0 zweimal"],
    "f.csv": [table("stream_rms,0,1", "stream_rms,2,1"), "f: stream_rms fehlt der Wert 1"],
    "g.csv": [table("loss,0,1"), "darin ist keine Kurve"],
    "h.csv": [table("schoenheit,0,1"), "die Größe schoenheit gibt es nicht"],
    "i.json": ['{"runs": [', "das ist kein JSON: "],
    "j.json": ["[1]", "das ist kein Objekt"],
    "k.json": ['{"runs": [{}, 1]}', "Lauf 2: das ist kein Objekt"],
    "l.json": ['{"stream_rms": [1, "zwei"]}', "stream_rms, Wert 1: „zwei“ ist keine Zahl"],
    "m.csv": ["loss,0,1.5\n".repeat(2_000_000), "die Datei hat mehr als 20 MB"],
  };
  await bring(page, ...Object.entries(refused).map(([name, [text]]) => ({ name, text })));
  await page.waitForSelector('[data-notice="told"]');
  const told = (await page.locator('[data-notice="told"] p').textContent()).replace(/ Schließen$/, "").split("; ");
  assert.equal(told.length, Object.keys(refused).length);
  Object.entries(refused).forEach(([name, [, why]], index) => assert.ok(told[index].startsWith(`${name}: ${why}`), told[index]));
  assert.equal(await page.locator("[data-imported]").count(), 0);
});

onPage("a file is dropped on the page", QUICK, {}, async (page) => {
  const path = join(tmpdir(), "dropped.csv");
  await writeFile(path, "model,quantity,layer,value\nMy model,stream_rms,0,1\nMy model,stream_rms,1,2\n");
  const text = await readFile(path, "utf8");
  await page.evaluate((text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "dropped.csv"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  }, text);
  await page.waitForSelector("[data-imported]");
  assert.match(await page.locator("[data-imported]").textContent(), /My model/);
});

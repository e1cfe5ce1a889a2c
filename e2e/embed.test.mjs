// The page in pages of another origin: messages, height, the element, and who may not ask.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startServer } from "../scripts/serve.mjs";
import { open } from "./browser.mjs";
import { SLOW } from "./on-page.mjs";

const QUICK = "depth=6&width=16&tokens=4&batch=1&heads=2";
const EVERYBODY = { "access-control-allow-origin": "*" };

let site;
let folder;
let host;
before(async () => {
  site = await open({ serve: { headers: EVERYBODY } });
  folder = await mkdtemp(join(tmpdir(), "host-"));
  host = await startServer(folder, 0);
}, { timeout: 60_000 });
after(async () => {
  await site?.close();
  await host?.close();
  await rm(folder, { recursive: true });
});

/** Opens a page of the host's origin with this body. */
async function hosted(body) {
  await writeFile(join(folder, "index.html"), `<!doctype html><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">${body}`);
  const context = await site.browser.newContext({ viewport: { width: 1000, height: 800 } });
  const page = await context.newPage();
  page.lines = [];
  page.on("console", (message) => page.lines.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => page.lines.push(`error: ${error}`));
  // What a host would write.
  await page.addInitScript(() => {
    window.heard = [];
    addEventListener("message", ({ data, source }) => source !== window && window.heard.push(data));
    window.askFrame = (ask, more = {}) =>
      new Promise((done) => {
        const id = Math.random();
        const hear = ({ data }) => {
          if (data?.id !== id) return;
          removeEventListener("message", hear);
          done(data);
        };
        addEventListener("message", hear);
        document.querySelector("iframe").contentWindow.postMessage({ normscope: 1, id, ask, ...more }, "*");
      });
  });
  await page.goto(host.url);
  return page;
}

const frame = (query, more = "") => `<iframe ${more} width="700" height="480" src="${site.server.url}?${query}&embed=1"></iframe>`;

/** Until the frame has told its host of a result. */
async function until(page, what) {
  await page.waitForFunction(what, null, { timeout: SLOW });
}

test("a host asks, sets, subscribes, and gets numbers and a picture", { timeout: SLOW }, async () => {
  const page = await hosted(frame(`placement=post,pre&${QUICK}`));
  try {
    await until(page, () => window.heard.some((data) => data.event === "height"));
    await page.evaluate(() => askFrame("subscribe"));
    const { query } = await page.evaluate(() => askFrame("state"));
    assert.match(query, /^v=1&.*depth=6/);
    const set = await page.evaluate((query) => askFrame("set", { query }), `placement=pre&${QUICK.replace("depth=6", "depth=8")}&colour=red&embed=1`);
    assert.deepEqual(set.notices, ["colour: no such key; it was left out"]);
    assert.match(set.query, /depth=8/);
    // How it is framed is not what is shown.
    await page.evaluate((query) => askFrame("set", { query }), `placement=pre&${QUICK.replace("depth=6", "depth=8")}`);
    assert.match((await page.evaluate(() => askFrame("state"))).query, /depth=8.*embed=1/);
    // The quiz of the documentation: what is the first gradient over the last?
    await until(page, () => window.heard.some((data) => data.event === "result" && data.result.settled && data.result.runs[0]?.config.depth === 8));
    const { result } = await page.evaluate(() => askFrame("result"));
    assert.equal(result.runs.length, 1);
    assert.equal(result.runs[0].stream_rms.length, 9);
    assert.ok(result.runs[0].grad_weight.w2.every((value) => value > 0));
    const { svg } = await page.evaluate(() => askFrame("picture"));
    assert.match(svg, /^<svg .*<polyline .*<\/svg>$/s);
    assert.ok(await page.evaluate(() => window.heard.some((data) => data.event === "state" && /depth=8/.test(data.query))));
    assert.deepEqual(page.lines.filter((line) => /^error/.test(line)), []);
  } finally {
    await page.context().close();
  }
});

test("the frame tells its height, also as learning platforms want it", { timeout: SLOW }, async () => {
  const page = await hosted(frame(QUICK));
  try {
    await until(page, () => window.heard.some((data) => data.event === "height"));
    const [own, lti] = await page.evaluate(() => [
      window.heard.findLast((data) => data.event === "height").height,
      window.heard.findLast((data) => data.subject === "lti.frameResize").height,
    ]);
    assert.ok(own > 200 && own < 5000, String(own));
    assert.equal(lti, own);
  } finally {
    await page.context().close();
  }
});

for (const sandbox of ["", 'sandbox="allow-scripts"']) {
  test(`a frame that a slide deck unloads goes on where it was${sandbox && ", in a sandbox too"}`, { timeout: SLOW }, async () => {
    const page = await hosted(frame(QUICK, sandbox));
    const isThere = () => until(page, () => window.heard.some((data) => data.event === "height"));
    const depth = async () => new URLSearchParams((await page.evaluate(() => askFrame("state"))).query).get("depth");
    /** Loads a page in the frame, as decks do: nothing first. */
    const load = async (address) => {
      if (sandbox) await page.waitForTimeout(500);
      await page.evaluate(async (address) => {
        const frame = document.querySelector("iframe");
        const loaded = () => new Promise((done) => frame.addEventListener("load", done, { once: true }));
        const gone = loaded();
        frame.src = "about:blank";
        await gone;
        window.heard = [];
        frame.src = address;
      }, address);
      await isThere();
    };
    try {
      const address = await page.locator("iframe").getAttribute("src");
      await isThere();
      await page.evaluate(() => askFrame("set", { query: "placement=pre&depth=9&width=16&tokens=4&batch=1&heads=2&embed=1" }));
      await load(address);
      assert.equal(await depth(), "9");
      // And once more, now that it began elsewhere than its address says.
      await page.evaluate(() => askFrame("set", { query: "placement=pre&depth=11&width=16&tokens=4&batch=1&heads=2&embed=1" }));
      await load(address);
      assert.equal(await depth(), "11");
      // Also where that is what the page begins with.
      await page.evaluate(() => askFrame("set", { query: "embed=0" }));
      await load(address);
      assert.equal(await depth(), null);
      // Another address is another picture.
      await load(address.replace("depth=6", "depth=7"));
      assert.equal(await depth(), "7");
      // A lecture that begins anew.
      await page.reload();
      await isThere();
      assert.equal(await depth(), "6");
    } finally {
      await page.context().close();
    }
  });
}

test("a frame that its host has named keeps its name", { timeout: SLOW }, async () => {
  const page = await hosted(frame(QUICK, 'name="normscope"'));
  try {
    await until(page, () => window.heard.some((data) => data.event === "height"));
    await page.locator("iframe").evaluate((frame) => {
      frame.src = "about:blank";
      return new Promise((done) => frame.addEventListener("load", done, { once: true }));
    });
    assert.equal(await page.frames()[1].evaluate(() => window.name), "normscope");
  } finally {
    await page.context().close();
  }
});

test("malformed messages are ignored with a line each, thousands of hostile ones leave it alive", { timeout: SLOW }, async () => {
  const page = await hosted(frame(QUICK));
  try {
    await until(page, () => window.heard.some((data) => data.event === "height"));
    await page.evaluate(() => askFrame("state"));
    await page.evaluate(() => {
      const { contentWindow } = document.querySelector("iframe");
      for (const data of [{ normscope: 2, ask: "state" }, { normscope: 1, ask: "drop" }, { normscope: 1, ask: "set" }, { normscope: null }]) {
        contentWindow.postMessage(data, "*");
      }
      // Not of this page: not a word.
      for (const data of ["text", 7, null, { type: "webpackOk" }, [1, 2]]) contentWindow.postMessage(data, "*");
    });
    await page.evaluate(() => askFrame("state"));
    assert.equal(page.lines.filter((line) => /a message was ignored/.test(line)).length, 4, page.lines.join("\n"));
    await page.evaluate(async () => {
      const { contentWindow } = document.querySelector("iframe");
      let seed = 1;
      const next = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
      const letters = "depth=&%?;:~,v1é\u202e\0<>\"'\\{}[]placement";
      const text = () => Array.from({ length: next(60) }, () => letters[next(letters.length)]).join("");
      for (let i = 0; i < 10_000; i++) {
        const ask = ["set", "state", "nonsense", text(), undefined, {}][next(6)];
        const query = [text(), `depth=${text()}`, "a".repeat(next(5000)), next(100), undefined, { text: text() }][next(6)];
        contentWindow.postMessage({ normscope: [1, 1, 1, "1", {}][next(5)], ask, query }, "*");
        if (i % 500 === 0) await new Promise((done) => setTimeout(done));
      }
    });
    const { query } = await page.evaluate((query) => askFrame("set", { query }), QUICK);
    assert.match(query, /depth=6/);
    assert.deepEqual(page.lines.filter((line) => /^error/.test(line)), []);
  } finally {
    await page.context().close();
  }
});

test("a window that is not its host is not answered", { timeout: SLOW }, async () => {
  // A frame of the host's origin beside it, which reaches for it.
  const rival = `<iframe srcdoc='<script>
    onmessage = ({ data }) => parent.postMessage({ rival: data }, "*");
    setInterval(() => parent.frames[0].postMessage({ normscope: 1, id: "rival", ask: "set", query: "depth=12" }, "*"), 100);
  </script>'></iframe>`;
  const page = await hosted(frame(QUICK) + rival);
  try {
    await until(page, () => window.heard.some((data) => data.event === "height"));
    await page.waitForTimeout(1500);
    const { query } = await page.evaluate(() => askFrame("state"));
    assert.match(query, /depth=6/);
    assert.ok(!(await page.evaluate(() => window.heard.some((data) => data.rival))), "the rival was answered");
  } finally {
    await page.context().close();
  }
});

test("the element shows the page, takes its height and is asked", { timeout: SLOW }, async () => {
  const page = await hosted(`<script type="module" src="${site.server.url}norm-scope.js"></script>
    <norm-scope query="placement=post&${QUICK}" hide="status" theme="dark"></norm-scope>`);
  try {
    await page.waitForFunction(() => {
      const inner = document.querySelector("norm-scope")?.shadowRoot?.querySelector("iframe");
      return inner && inner.style.height !== "480px";
    }, null, { timeout: SLOW });
    const { query } = await page.evaluate(() => document.querySelector("norm-scope").ask("state"));
    for (const part of ["placement=post", "theme=dark", "embed=1", "hide=status"]) assert.match(query, new RegExp(part));
    const changed = page.evaluate(() => new Promise((done) => document.querySelector("norm-scope").addEventListener("state", ({ detail }) => /depth=7/.test(detail.query) && done(detail.query))));
    await page.evaluate(() => document.querySelector("norm-scope").ask("subscribe"));
    await page.evaluate((query) => document.querySelector("norm-scope").ask("set", { query }), `${QUICK.replace("=6", "=7")}&embed=1`);
    assert.match(await changed, /depth=7/);
    assert.deepEqual(page.lines.filter((line) => /^error/.test(line)), []);
  } finally {
    await page.context().close();
  }
});

test("what is not seen rests", { timeout: SLOW }, async () => {
  const page = await hosted(`<div style="height:3000px"></div>${frame(QUICK)}`);
  try {
    await page.evaluate(() => document.querySelector("iframe").scrollIntoView());
    await until(page, () => window.heard.some((data) => data.event === "height"));
    const depth = async () => (await page.evaluate(() => askFrame("state"))).query;
    await page.evaluate(() => askFrame("subscribe"));
    await page.evaluate(() => askFrame("set", { query: "depth=7&width=16&tokens=4&batch=1&heads=2&embed=1" }));
    await until(page, () => window.heard.some((data) => data.event === "result"));
    const still = await depth();
    await page.evaluate(() => askFrame("play"));
    await page.waitForTimeout(1500);
    assert.notEqual(await depth(), still, "it plays while it is seen");
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForTimeout(1500);
    const before = await depth();
    await page.waitForTimeout(1500);
    assert.equal(await depth(), before);
  } finally {
    await page.context().close();
  }
});

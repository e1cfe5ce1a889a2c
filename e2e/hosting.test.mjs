// Where the page can be: under any path of any host, in a frame without an origin, without a network, on a disk.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { DIST, ROOT, settled } from "./browser.mjs";
import { SLOW, site } from "./pages.mjs";
import { startServer } from "../scripts/serve.mjs";

const MODEL = "depth=6&placement=post,pre&width=16&heads=2&tokens=4&batch=1";
/** What has its name from elsewhere. */
const FIXED = ["_headers", "embed.html", "gallery.html", "index.html", "norm-scope.js", "sw.js"];

let folder;
before(async () => (folder = await mkdtemp(join(tmpdir(), "normscope-"))));
after(() => rm(folder, { recursive: true }));

/** Violations of the policy that say nothing in the console. */
function watchPolicy() {
  addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => console.error(`${effectiveDirective}: ${blockedURI}`));
}

const open = (address, options = {}) => site.page(address, options, watchPolicy);

/** A test with servers, which end with it. */
function hosted(name, body) {
  test(name, { timeout: SLOW }, async () => {
    const servers = [];
    const serve = async (...given) => servers[servers.push(await startServer(...given)) - 1];
    try {
      await body(serve);
    } finally {
      for (const context of site.browser.contexts()) await context.close();
      for (const server of servers) await server.close().catch(() => {});
    }
  });
}

/** Both models have their numbers, and colour goes as far in each chart as six of its twelve blocks, which no label does. */
async function showsCurves(page) {
  await settled(page, SLOW);
  for (const placement of ["post", "pre"]) assert.match(await page.locator(`.reading[data-placement="${placement}"] .say`).textContent(), /\d/);
  const shares = await page.locator(".chart").evaluateAll((charts) =>
    charts.map((chart) => {
      const canvases = [...chart.querySelectorAll("canvas")];
      const columns = new Set();
      for (const canvas of canvases) {
        const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        for (let i = 0; i < data.length; i += 4) {
          const [red, green, blue, alpha] = data.subarray(i, i + 4);
          if (alpha === 255 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) columns.add((i / 4) % width);
        }
      }
      return columns.size / canvases[0].width;
    }),
  );
  assert.equal(shares.length, 2);
  for (const share of shares) assert.ok(share > 0.3, `${shares}`);
}

/** The headers that the release asks of its host for every file. */
async function headers() {
  const [, ...lines] = (await readFile(join(DIST, "_headers"), "utf8")).match(/^\/\*\n( .*\n)+/)[0].trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.trim().split(/: (.*)/)));
}

test("every file has the hash of its content in its name, and another says which", async () => {
  const names = (await readdir(DIST)).filter((name) => !name.startsWith(".") && !FIXED.includes(name));
  assert.ok(names.length > 10);
  const texts = await Promise.all([...names, ...FIXED].filter((name) => /\.(html|js)$/.test(name) && name !== "sw.js").map((name) => readFile(join(DIST, name), "utf8")));
  for (const name of names) {
    const hash = createHash("sha256").update(await readFile(join(DIST, name))).digest("hex").slice(0, 16);
    assert.match(name, new RegExp(`-${hash}(_bg)?\\.\\w+$`));
    assert.ok(texts.some((text) => text.includes(name)), name);
  }
});

hosted("the page runs under any path, and asks for nothing outside", async (serve) => {
  const empty = join(folder, "empty");
  await mkdir(empty, { recursive: true });
  const { url } = await serve(empty, 0, { mounts: { "/some/where/": DIST } });
  for (const address of ["some/where/", "some/where/index.html"]) {
    const page = await open("about:blank");
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${url}${address}?${MODEL}`);
    await showsCurves(page);
    assert.ok(asked.length > 10);
    for (const one of asked) assert.ok(one.startsWith(`${url}some/where/`) || one.startsWith("data:"), one);
    // The name leads to where the page is.
    assert.equal(await page.locator("a.mark").evaluate((link) => link.href), url + address);
    assert.deepEqual(page.errors, []);
  }
});

const VIEWS = {
  explore: async (page) => {
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
    for (const chart of ["stream", "gradient"]) await page.locator(`[data-chart="${chart}"]`).hover();
    await page.locator("button.play").click();
    await page.waitForFunction(() => Number(document.querySelector(".depth .figure b").textContent) > 6, null, { timeout: SLOW });
  },
  atlas: async (page) => {
    await page.locator(".sweep button").click();
    await page.waitForSelector('.sweep[data-sweep="done"]', { timeout: SLOW });
  },
  claims: async (page) => {
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
  },
  "explore&tour=2": async (page) => {
    await page.locator(".tour").getByRole("button", { name: "Next", exact: true }).click();
  },
};
for (const [view, look] of Object.entries(VIEWS)) {
  hosted(`the page keeps to its policy: view=${view}`, async (serve) => {
    // The one of the header is that of the page and says who may frame it.
    const { url } = await serve(DIST, 0, { headers: await headers() });
    const page = await open(`${url}?view=${view}&deepest=12&${MODEL}`, { colorScheme: "dark" });
    await settled(page, SLOW);
    await look(page);
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    await page.locator(".tools button.icon").last().click();
    await settled(page, SLOW);
    assert.deepEqual(page.errors, []);
    // There is a policy: neither a style nor a script in the markup has a say.
    await page.evaluate(() => {
      document.body.insertAdjacentHTML("beforeend", `<i id="probe" style="color: red" onclick="document.title = 'run'"></i>`);
      document.getElementById("probe").click();
    });
    assert.notEqual(await page.title(), "run");
    for (const kind of ["style-src-attr", "script-src-attr"]) assert.ok(page.errors.includes(`${kind}: inline`), `${page.errors}`);
  });
}

hosted("a sandboxed frame on another site, which has no origin, shows curves", async (serve) => {
  const { url } = await serve(DIST, 0, { headers: await headers() });
  const outside = join(folder, "outside");
  await mkdir(outside, { recursive: true });
  await writeFile(
    join(outside, "index.html"),
    `<!doctype html><link rel="icon" href="data:,"><iframe sandbox="allow-scripts" width="1000" height="800" src="${url}?${MODEL}"></iframe>`,
  );
  const host = await serve(outside, 0);
  const page = await open(host.url.replace("127.0.0.1", "localhost"), { serviceWorkers: "allow" });
  const frame = page.frames().find((frame) => frame.parentFrame());
  await showsCurves(frame);
  assert.equal(await frame.evaluate(() => self.origin), "null");
  // Where nothing can be kept, another model is shown all the same.
  await frame.locator(".slider input").press("ArrowRight");
  await frame.waitForFunction(() => document.querySelector(".depth .figure b").textContent === "7");
  await showsCurves(frame);
  assert.deepEqual(page.errors, []);
});

/** Asks until it is so: `waitForFunction` takes a promise for a yes. */
async function until(page, ask) {
  while (!(await page.evaluate(ask))) await page.waitForTimeout(50);
}
const isKept = (page) => until(page, async () => (await navigator.serviceWorker.getRegistration())?.active?.state === "activated");

hosted("after the first visit the page works without a network", async (serve) => {
  const empty = join(folder, "empty");
  await mkdir(empty, { recursive: true });
  const server = await serve(empty, 0, { mounts: { "/some/where/": DIST } });
  const here = `${server.url}some/where/`;
  const page = await open(`${here}?${MODEL}`, { serviceWorkers: "allow" });
  await showsCurves(page);
  await isKept(page);
  assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).scope), here);
  await server.close();

  await page.reload();
  await showsCurves(page);
  // Under its other name, and in a language that has not been looked at.
  await page.goto(`${here}index.html?lang=de&${MODEL}`);
  await showsCurves(page);
  assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
  assert.deepEqual(page.errors, []);
});

/** Another release in a folder: its script and its text say so. */
async function later(to) {
  await cp(DIST, to, { recursive: true });
  const names = await readdir(to);
  let [page, worker] = await Promise.all(["index.html", "sw.js"].map((name) => readFile(join(to, name), "utf8")));
  const change = (from, to) => ([page, worker] = [page, worker].map((text) => text.replaceAll(from, to)));
  for (const [part, edit] of [
    [/^texts-en-/, (text) => JSON.stringify({ ...JSON.parse(text), "page.tagline": "The later release" })],
    [/^boot-/, (text) => `document.documentElement.dataset.release = "later";\n${text}`],
  ]) {
    const name = names.find((name) => part.test(name));
    const other = name.replace(/[0-9a-f]{16}/, "1".repeat(16));
    await writeFile(join(to, other), edit(await readFile(join(to, name), "utf8")));
    await rm(join(to, name));
    change(name, other);
  }
  change(page.match(/data-release="(.*?)"/)[1], "2".repeat(16));
  await writeFile(join(to, "index.html"), page);
  await writeFile(join(to, "sw.js"), worker);
}

/** Puts files of a release, or all, in the place of what a host has. */
async function deploy(release, host, { only = () => true } = {}) {
  await mkdir(host, { recursive: true });
  for (const name of (await readdir(host)).filter(only)) await rm(join(host, name));
  for (const name of (await readdir(release)).filter(only)) await cp(join(release, name), join(host, name));
}

/** Which release the script and the text of a page are of. */
async function shown(page) {
  await settled(page, SLOW);
  return page.evaluate(() => [document.documentElement.dataset.release, document.querySelector(".tagline").textContent === "The later release" ? "later" : undefined]);
}
const EARLIER = [undefined, undefined];
const LATER = ["later", "later"];

/** Whether the script that a page began with is still to be had. */
const hasItsFiles = (page) => page.evaluate(() => fetch(document.querySelector("script[data-js]").src).then(({ ok }) => ok, () => false));
const opened = async (context, address) => {
  const page = await context.newPage();
  await page.goto(address);
  return page;
};

hosted("a new release takes the place of the old one as a whole", async (serve) => {
  const [host, release] = [join(folder, "host"), join(folder, "later")];
  await later(release);
  await deploy(DIST, host);
  const server = await serve(host, 0);
  const here = `${server.url}?${MODEL}`;
  const old = await open(here, { serviceWorkers: "allow" });
  const context = old.context();
  await isKept(old);
  await old.reload();
  assert.deepEqual(await shown(old), EARLIER);

  await deploy(release, host);
  const fresh = await opened(context, here);
  assert.deepEqual(await shown(fresh), LATER);
  await until(fresh, async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    // The browser looks for another worker in its own time.
    if (!registration.installing && !registration.waiting) await registration.update();
    return registration.waiting !== null;
  });
  // The host has not got them any more.
  assert.ok(await hasItsFiles(old));

  await server.close();
  await old.reload();
  assert.deepEqual(await shown(old), LATER);
  await old.close();
  await fresh.close();
  const last = await opened(context, here);
  assert.deepEqual(await shown(last), LATER);
  await until(last, async () => (await caches.keys()).length === 1);
  assert.deepEqual(old.errors, []);
});

hosted("a release that is half there is not taken", async (serve) => {
  const [host, release] = [join(folder, "host"), join(folder, "later")];
  await later(release);
  await deploy(DIST, host);
  const server = await serve(host, 0);
  const here = `${server.url}?${MODEL}`;
  const page = await open(here, { serviceWorkers: "allow" });
  const context = page.context();
  await isKept(page);

  // All but the page itself has arrived.
  await deploy(release, host, { only: (name) => name !== "index.html" });
  const state = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update();
    const { installing } = registration;
    await new Promise((done) => installing.addEventListener("statechange", done, { once: true }));
    return installing.state;
  });
  assert.equal(state, "redundant");
  await server.close();
  await page.close();
  assert.deepEqual(await shown(await opened(context, here)), EARLIER);
});

hosted("one file has the page, from a disk and without a network", async () => {
  const file = join(folder, "normscope.html");
  await promisify(execFile)(process.execPath, [join(ROOT, "scripts", "single-file.mjs"), file, DIST]);
  const page = await open("about:blank", { serviceWorkers: "allow" });
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.context().setOffline(true);
  await page.goto(`${pathToFileURL(file)}?${MODEL}`);
  await showsCurves(page);
  assert.equal(await page.locator("[data-announcer]").getAttribute("data-engine"), "gpu");
  await page.locator(".slider input").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector(".depth .figure b").textContent === "7");
  await settled(page, SLOW);
  await page.locator('.languages a[hreflang="de"]').click();
  await page.waitForFunction(() => document.documentElement.lang === "de", null, { timeout: SLOW });
  await settled(page, SLOW);
  // The name leads to the file and not to its folder.
  assert.equal(await page.locator("a.mark").evaluate((link) => link.href), String(pathToFileURL(file)));
  for (const one of asked) assert.match(one, /^(file:.*normscope\.html|blob:|data:)/);
  assert.deepEqual(page.errors, []);
});

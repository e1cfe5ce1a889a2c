// Contenders in a browser: pages that run the model, asked from here.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { address, open, ROOT } from "../../e2e/browser.mjs";
import { countGpu, hideGpu } from "../../e2e/counters.mjs";

const MODULES = join(ROOT, "bench", "node_modules");
/** A pass that takes longer has failed. */
const PATIENCE_MS = 900_000;
/** Little for the page itself to compute. */
const IDLE_PAGE = "placement=pre&depth=1&width=16&tokens=2&batch=1";

/** Programs and back ends that run in a browser. `label` is for tables. */
export const IN_BROWSER = [
  { label: "Normscope, WebGPU", program: "normscope", backend: "webgpu" },
  { label: "jax-js, WebGPU", program: "jax-js", backend: "webgpu" },
  { label: "TensorFlow.js, WebGPU", program: "tfjs", backend: "webgpu" },
  { label: "jax-js, wasm", program: "jax-js", backend: "wasm" },
  { label: "TensorFlow.js, wasm", program: "tfjs", backend: "wasm" },
];
export const NORMSCOPE = IN_BROWSER[0];

/** A browser in which threads of WebAssembly work, and what it serves: the page, the benchmark's files, the peers. */
export async function launch(flags = []) {
  if (!existsSync(MODULES)) throw new Error("the peers are not installed: run scripts/setup-bench.sh");
  return await open({
    flags,
    serve: {
      mounts: { "/bench/": join(ROOT, "bench"), "/modules/": MODULES },
      headers: { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" },
    },
  });
}

/** What a promise comes to, or an error where that takes too long. */
function inTime(promise) {
  let timer;
  const late = new Promise((_, failed) => {
    timer = setTimeout(() => failed(new Error(`no result within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/**
 * Opens a contender in a fresh page, with all weights of the model on its device. Gives
 * `time(depth)`: milliseconds of one pass, from its start to numbers on the processor;
 * `series()`: what the last pass returned, by name; `counts()`: calls of WebGPU so far, where `counted`; `close()`.
 */
export async function enter(browser, { program, backend }, model, { counted = false } = {}) {
  // A service worker would fill its cache meanwhile.
  const context = await browser.browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  const crashed = new Promise((_, failed) => page.on("crash", () => failed(new Error("the page crashed"))));
  crashed.catch(() => {});
  const ask = (...given) => inTime(Promise.race([page.evaluate(...given), crashed]));
  try {
    if (counted) await page.addInitScript(countGpu);
    if (program === "normscope") {
      await page.addInitScript(hideGpu);
      await page.goto(address(browser.server, IDLE_PAGE));
      await page.waitForSelector('[data-announcer][data-settled="true"]', { state: "attached" });
      await page.evaluate(() => globalThis.showGpu());
    } else {
      await page.goto(`${browser.server.url}bench/peers/peer.html`);
    }
    if (!(await page.evaluate(() => globalThis.crossOriginIsolated))) throw new Error("the page has no threads");
    await ask(
      async ({ program, backend, model }) => {
        const { open } = await import(`/bench/peers/${program}.mjs`);
        globalThis.contender = await open(backend, model);
      },
      { program, backend, model },
    );
  } catch (error) {
    await context.close();
    throw error;
  }
  return {
    time: (depth) =>
      ask(async (depth) => {
        const start = performance.now();
        globalThis.returned = await globalThis.contender.pass(depth);
        return performance.now() - start;
      }, depth),
    series: () => ask(() => globalThis.contender.series(globalThis.returned)),
    counts: () => ask(() => globalThis.gpuCounts()),
    close: () => context.close(),
  };
}

/** The version of the browser, and what it computes on. */
export async function describe(browser) {
  const page = await browser.browser.newPage();
  await page.goto(`${browser.server.url}bench/peers/peer.html`);
  const adapter = await page.evaluate(async () => {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) return "none";
    const { vendor, architecture, description } = adapter.info;
    return [vendor, architecture, description].filter(Boolean).join(" ");
  });
  await page.close();
  return { browser: `Chromium ${browser.browser.version()}`, adapter };
}

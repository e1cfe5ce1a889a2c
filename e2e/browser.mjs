// A browser on the built page, for the tests and the pictures.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { startServer } from "../scripts/serve.mjs";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
/** The folder of the built page; `DIST=` chooses another. */
export const DIST = process.env.DIST ?? join(ROOT, "dist");

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const ALWAYS = ["--no-sandbox", "--disable-background-networking", "--force-color-profile=srgb"];
/** A WebGPU device on the processor. */
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

/**
 * Serves the page (`serve`: what else the server takes) and starts a browser with these `flags` too; `webgpu: false`
 * leaves it without a device.
 */
export async function open({ webgpu = true, flags = [], serve = {} } = {}) {
  if (!existsSync(join(DIST, "index.html"))) throw new Error(`there is no page in ${DIST}: run scripts/build.sh first`);
  const server = await startServer(DIST, 0, serve);
  const executablePath = process.env.CHROMIUM || PLACES.find(existsSync);
  const args = [...ALWAYS, ...flags, ...(webgpu ? WEBGPU : ["--disable-features=WebGPU,WebGPUService"])];
  const browser = await chromium.launch({ executablePath, args });
  return {
    server,
    browser,
    /**
     * A fresh page at a query, or at another address, with the errors it logs; `prepare`, one function or several, runs
     * in it beforehand. Each visit is the first: no service worker, unless the options say so.
     */
    async page(query = "", options = {}, prepare = undefined) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block", ...options });
      const page = await context.newPage();
      const errors = [];
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(String(error)));
      if (!webgpu) await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "gpu", { value: undefined }));
      for (const script of [prepare ?? []].flat()) await page.addInitScript(script);
      await page.goto(/^\w+:/.test(query) ? query : address(server, query));
      page.errors = errors;
      return page;
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** The address of a query. */
export function address(server, query) {
  return server.url.replace(/\/?$/, "/") + (query ? `?${query}` : "");
}

/** The page's address as the page has it: the browser's own word for it may come later. */
export function href(page) {
  return page.evaluate(() => location.href);
}

/** Waits until every curve that is asked for is there. */
export async function settled(page, timeout = 60_000) {
  await page.waitForSelector('[data-announcer][data-settled="true"]', { state: "attached", timeout });
  // The canvas is drawn after the state is set, and ranges ease for a quarter of a second.
  await page.waitForTimeout(350);
}

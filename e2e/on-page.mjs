// Tests that each have a page of their own in a browser that they share.

import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "./browser.mjs";

/** Until a test is given up: the processor computes what a graphics device would. */
export const SLOW = 240_000;

/**
 * Tests in the browser that `site` gives once they run. Each opens a page at a query, waits for its curves, runs a test on
 * it, and finds no error in its console. `prepare` runs in the page beforehand; the other options are those of the
 * browser's context.
 */
export function pagesOf(site) {
  return (name, query, { prepare, ...options }, body) => {
    test(name, { timeout: SLOW }, async () => {
      const page = await site().page(query, options, prepare);
      try {
        await settled(page, SLOW);
        await body(page);
        assert.deepEqual(page.errors, []);
      } finally {
        await page.context().close();
      }
    });
  };
}

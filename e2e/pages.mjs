// The browser of a file of tests that need nothing else of it.

import { after, before } from "node:test";
import { open } from "./browser.mjs";
import { pagesOf } from "./on-page.mjs";

export { SLOW } from "./on-page.mjs";

/** The browser of this file, once its tests have begun. */
export let site;
before(async () => (site = await open()), { timeout: 60_000 });
after(() => site?.close());

/** A test on a page of its own in that browser, see `pagesOf`. */
export const onPage = pagesOf(() => site);

// From navigation to the first curves: a fresh page each time, nothing in the browser's cache, two placements of 24 blocks.

import { launch } from "../lib/browser.mjs";
import { address } from "../../e2e/browser.mjs";
import { spread } from "../lib/statistics.mjs";
import { range, table } from "../lib/table.mjs";

const SAMPLES = 5;
const MARKS = { "normscope:device": "the device is there", "normscope:first-curves": "the first curves" };

export const title = "Start-up";

export async function run(say) {
  const browser = await launch();
  try {
    const seen = Object.keys(MARKS).map((name) => ({ name, times: [] }));
    for (let i = 0; i < SAMPLES; i++) {
      say(`page ${i + 1} of ${SAMPLES}`);
      const context = await browser.browser.newContext();
      const page = await context.newPage();
      await page.goto(address(browser.server, ""));
      await page.waitForFunction(() => performance.getEntriesByName("normscope:first-curves").length > 0, null, { timeout: 120_000 });
      for (const { name, times } of seen) {
        times.push(await page.evaluate((name) => performance.getEntriesByName(name).map(({ startTime, duration }) => startTime + duration)[0], name));
      }
      await context.close();
    }
    return { marks: seen.map(({ name, times }) => ({ name, ms: spread(times) })) };
  } finally {
    await browser.close();
  }
}

export function show({ marks }) {
  return table(["from navigation to", "ms"], marks.map(({ name, ms }) => [MARKS[name], range(ms)]));
}

export function summary({ marks }) {
  return [["milliseconds from navigation to the first curves", range(marks.at(-1).ms)]];
}

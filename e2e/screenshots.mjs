// Pictures of the page at the sizes of the design.
//
//     node e2e/screenshots.mjs [FOLDER] [FILTER]     (target/screenshots by default)

import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { open, settled, ROOT } from "./browser.mjs";

const folder = resolve(process.argv[2] ?? join(ROOT, "target", "screenshots"));
const filter = new RegExp(process.argv[3] ?? "");

const WIDE = { width: 1440, height: 900 };
const TABLET = { width: 768, height: 1024 };
const PHONE = { width: 390, height: 844 };

const SHOTS = [
  { name: "explore-1440-light", viewport: WIDE, query: "depth=96" },
  { name: "explore-1440-dark", viewport: WIDE, query: "depth=96", dark: true },
  { name: "explore-768-light", viewport: TABLET, query: "depth=96" },
  { name: "explore-768-dark", viewport: TABLET, query: "depth=96", dark: true },
  { name: "explore-390-light", viewport: PHONE, query: "depth=96" },
  { name: "explore-390-dark", viewport: PHONE, query: "depth=96", dark: true },
  { name: "explore-360-light", viewport: { width: 360, height: 640 }, query: "depth=96" },
  { name: "open-1440-light", viewport: WIDE, query: "" },
  { name: "gap-1440-light", viewport: WIDE, query: "placement=post,pre,none&depth=96", probe: 36 },
  { name: "all-1440-light", viewport: WIDE, query: "placement=post,pre,sandwich,olmo2,deepnorm,peri,none&depth=48" },
  { name: "floor-1440-light", viewport: WIDE, query: "placement=post,pre&depth=96&statistic=grad_weight.wq" },
  { name: "table-1440-light", viewport: WIDE, query: "placement=post,pre,none&depth=96", table: true },
  { name: "bad-link-1440-light", viewport: WIDE, query: "width=63&colour=red&depth=500" },
  { name: "playing-1440-light", viewport: WIDE, query: "depth=12", play: 3000 },
  { name: "playing-390-dark", viewport: PHONE, query: "depth=12", play: 3000, dark: true },
  { name: "long-390-light", viewport: PHONE, query: "placement=post,pre,sandwich&depth=24", whole: true },
  { name: "advanced-1024-light", viewport: { width: 1024, height: 768 }, query: "depth=30", advanced: true },
  { name: "wide-2560-light", viewport: { width: 2560, height: 1440 }, query: "depth=48" },
  { name: "iframe-600-light", viewport: { width: 600, height: 480 }, query: "depth=48" },
];

await mkdir(folder, { recursive: true });
const site = await open();
try {
  for (const shot of SHOTS.filter(({ name }) => filter.test(name))) {
    const page = await site.page(shot.query, {
      viewport: shot.viewport,
      colorScheme: shot.dark ? "dark" : "light",
      deviceScaleFactor: shot.scale ?? 1,
    });
    await settled(page, 300_000);
    if (shot.table) for (const button of await page.$$('[data-option="table"]')) await button.click();
    if (shot.advanced) await page.click(".advanced summary");
    if (shot.probe) {
      await page.focus('[data-chart="stream"] .plot');
      await page.keyboard.press("Home");
      for (let i = 0; i < shot.probe; i++) await page.keyboard.press("ArrowRight");
    }
    if (shot.play) {
      await page.click(".play");
      await page.waitForTimeout(shot.play);
    }
    await page.screenshot({ path: join(folder, `${shot.name}.png`), fullPage: Boolean(shot.whole) });
    if (page.errors.length) console.error(`${shot.name}: ${page.errors.join("; ")}`);
    console.log(`${shot.name}.png`);
    await page.context().close();
  }
} finally {
  await site.close();
}

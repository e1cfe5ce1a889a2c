// Takes pictures, numbers, scripts and films out of the page.

import { byBlock, firstBlock, number } from "./series.js";
import { escaped, shapes } from "./svg.js";

/** Space about and between the charts of a picture, and what its words take. */
const MARGIN = 24;
const TITLE = 28;
const FOOT = 30;
const FONTS = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The colours below the lines of a map of the atlas, if a chart has them. */
function raster(title, width, height) {
  const canvas = document.querySelector(`[aria-label=${JSON.stringify(title)}] > canvas:is([data-layer="cells"], [data-layer="colors"])`);
  return canvas?.width ? `<image href="${canvas.toDataURL()}" width="${width}" height="${height}" preserveAspectRatio="none"/>` : "";
}

/** All charts of the page side by side, each with its title, and the link below, as SVG. */
export function drawing({ ask, result, say }) {
  const lines = ask("pictures").split("\n").map((line) => line.split("\t"));
  const charts = lines.map(([title, width, height, ...words]) => ({ title, width: Number(width), height: Number(height), words })).filter(({ width }) => width > 0);
  if (charts.length === 0) throw new Error(say("host.no_chart"));
  const columns = Math.ceil(Math.sqrt(charts.length));
  const rows = Math.ceil(charts.length / columns);
  const wide = Math.max(...charts.map(({ width }) => width));
  const high = Math.max(...charts.map(({ height }) => height)) + TITLE;
  const width = columns * (wide + MARGIN) + MARGIN;
  const height = rows * (high + MARGIN) + MARGIN + FOOT;
  const [paper, ink, faint] = ["--bg", "--ink", "--ink-2"].map(color);
  const text = (x, y, size, fill, more, words) =>
    `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" ${more}>${escaped(words)}</text>`;
  const cells = charts.map(({ title, width, height, words }, i) => {
    const [x, y] = [MARGIN + (i % columns) * (wide + MARGIN), MARGIN + Math.floor(i / columns) * (high + MARGIN)];
    return `${text(x, y + 16, 16, ink, 'font-weight="600"', title)}<g transform="translate(${x} ${y + TITLE})">${raster(title, width, height)}${shapes(words)}</g>`;
  });
  const { link } = result();
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONTS}" stroke-linejoin="round">` +
    `<rect width="100%" height="100%" fill="${paper}"/>${cells.join("")}${text(MARGIN, height - MARGIN + 4, 12, faint, "", `Normscope · ${link}`)}</svg>`;
  return { svg, width, height };
}

/** That as PNG, `times` as many pixels as in CSS. */
async function painted(page, times) {
  const { svg, width, height } = drawing(page);
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await image.decode();
  } finally {
    URL.revokeObjectURL(image.src);
  }
  const canvas = Object.assign(document.createElement("canvas"), { width: width * times, height: height * times });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error(page.say("host.no_picture"))))));
}

/** Hands a file to the browser. */
function give(name, blob) {
  const anchor = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}

/** What was measured, of the atlas where that is shown, with when. */
function measured({ ask, atlas, result, say }) {
  const all = new URLSearchParams(ask("state")).get("view") === "atlas" ? atlas() : result();
  if (all.runs.length === 0) throw new Error(say("host.not_measured"));
  return { ...all, date: new Date().toISOString() };
}

const spelled = (value) => (Number.isFinite(value) ? String(value) : String(value).replace("Infinity", "inf").toLowerCase());

/** A line for each value: see docs/export.md. */
function table({ runs }) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = ["model,depth,seed,statistic,block,value,mark"];
  for (const { name, config, seeds, marks, engine, milliseconds, grad_weight, model_update, ...rest } of runs) {
    const seed = seeds > 1 ? `${config.seed}-${config.seed + seeds - 1}` : config.seed;
    const under = (stem, values) => Object.entries(values ?? {}).map(([key, value]) => [`${stem}.${key}`, value]);
    const all = [...Object.entries(rest), ...under("grad_weight", grad_weight), ...under("model_update", model_update)];
    for (const [quantity, values] of all) {
      const raw = [values].flat().map(number);
      const one = Array.isArray(values) ? byBlock(quantity, raw, config.depth) : raw;
      const first = Array.isArray(values) ? firstBlock(one.length, config.depth) : 0;
      const each = raw.length / one.length;
      one.forEach((value, index) => {
        const isHere = (at) => Math.floor(at / each) === index;
        const mark = Object.entries(marks[quantity] ?? {}).find(([, indices]) => indices.some(isHere))?.[0] ?? "";
        lines.push([quoted(name), config.depth, seed, quantity, first + index, spelled(value), mark].join(","));
      });
    }
  }
  return `${lines.join("\n")}\n`;
}

/** A file that was delivered with the page. */
async function delivered(address) {
  const response = await fetch(new URL(address, import.meta.url));
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  return response.text();
}

/** A script that reproduces what is shown. */
async function script(address, { ask, result }) {
  const { link } = result();
  const text = await delivered(address);
  // The scripts begin with one placement, the page with two.
  const query = new URLSearchParams(ask("state"));
  if (!query.has("placement")) query.set("placement", "post,pre");
  // Not `replace` with a text, in which `$` has a meaning.
  return text.replace(/^QUERY = .*$/m, () => `QUERY = ${JSON.stringify(query.toString().replaceAll("%2C", ","))}`).replace(/^# Link: .*$/m, () => `# Link: ${link}`);
}

/** Makes a file of one kind. */
export async function save(kind, page) {
  const file = (type, text) => new Blob([text], { type });
  switch (kind) {
    case "png1":
    case "png2":
    case "png3":
      return give("normscope.png", await painted(page, Number(kind.at(-1))));
    case "svg":
      return give("normscope.svg", file("image/svg+xml", drawing(page).svg));
    case "csv":
      return give("normscope.csv", file("text/csv", table(measured(page))));
    case "json":
      return give("normscope.json", file("application/json", `${JSON.stringify(measured(page), null, 1)}\n`));
    case "jax":
      return give("normscope_jax.py", file("text/x-python", await script("./normscope_jax.py", page)));
    case "torch":
      return give("normscope_torch.py", file("text/x-python", await script("./normscope_torch.py", page)));
    case "bibtex":
      return give("normscope.bib", file("application/x-bibtex", await delivered("./normscope.bib")));
    case "video": {
      const { film } = await import("./film.js");
      return film(page, give);
    }
  }
}

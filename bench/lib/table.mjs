// Tables for a terminal and a README: GitHub's Markdown, with columns that line up.

/** A table from its header and rows; columns whose cells below the first row look like numbers are set to the right. */
export function table(header, rows) {
  const cells = [header, ...rows].map((row) => row.map((cell) => String(cell ?? "-").replaceAll("|", "\\|")));
  const widths = header.map((_, column) => Math.max(3, ...cells.map((row) => [...row[column]].length)));
  const isNumber = header.map((_, column) => cells.slice(1).every((row) => /^(-|[\d.,]+[x%]?( .*)?)$/.test(row[column])));
  const pad = (cell, column) => {
    const gap = " ".repeat(widths[column] - [...cell].length);
    return isNumber[column] ? gap + cell : cell + gap;
  };
  const lines = cells.map((row) => `| ${row.map(pad).join(" | ")} |`);
  const rule = widths.map((width, column) => (isNumber[column] ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  lines.splice(1, 0, `| ${rule.join(" | ")} |`);
  return lines.join("\n");
}

/** Three digits, thousands set apart. */
export function digits(value) {
  if (value === undefined || value === null) return "-";
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

/** A median with its range. */
export function range({ median, min, max }) {
  return `${digits(median)} (${digits(min)}-${digits(max)})`;
}

/** Bytes in a unit that suits them. */
export function bytes(count) {
  if (count >= 2 ** 20) return `${digits(count / 2 ** 20)} MiB`;
  if (count >= 2 ** 10) return `${digits(count / 2 ** 10)} KiB`;
  return `${count} B`;
}

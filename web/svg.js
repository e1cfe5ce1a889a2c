// A plot as SVG, of the words that the page tells its shapes by (`src/chart/words.rs`).

export const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** How many words a shape has before its points. */
const HEAD = { L: 5, H: 3, A: 3, D: 4, T: 8 };

function element([kind, color, alpha, ...rest], points) {
  const places = () => points.map(([x, y]) => `${x},${y}`).join(" ");
  switch (kind) {
    case "L":
      return `<polyline points="${places()}" fill="none" stroke="${color}" stroke-opacity="${alpha}" stroke-width="${rest[0]}" stroke-linecap="${rest[1]}"/>`;
    case "H":
      return `<polyline points="${places()}" stroke="${color}" shape-rendering="crispEdges"/>`;
    case "A":
      return `<polygon points="${places()}" fill="${color}" fill-opacity="${alpha}"/>`;
    case "D":
      return `<circle cx="${points[0][0]}" cy="${points[0][1]}" r="${rest[0]}" fill="${color}" fill-opacity="${alpha}"/>`;
    default: {
      const [size, weight, anchor, rim, words] = rest;
      const [[x, y]] = points;
      const halo = rim && ` stroke="${rim}" stroke-width="3" paint-order="stroke"`;
      return `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${color}" fill-opacity="${alpha}" text-anchor="${anchor}"${halo}>${escaped(words)}</text>`;
    }
  }
}

/** The shapes as elements. */
export function shapes(words) {
  const out = [];
  for (let at = 0; at < words.length; ) {
    const length = HEAD[words[at]];
    if (length === undefined) break;
    const head = words.slice(at, at + length);
    const end = words.indexOf(";", at + length);
    const numbers = words.slice(at + length, end).map(Number);
    const points = Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]]);
    out.push(element(head, points));
    at = end + 1;
  }
  return out.join("");
}

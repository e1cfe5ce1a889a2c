// Medians, and slopes of what grows as a power.

/** The middle of some numbers, with the least and the largest of them. */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, min: sorted[0], max: sorted.at(-1), samples: sorted.length };
}

/** The exponent a of y = c x^a by least squares of the logarithms, from pairs [x, y]. */
export function exponent(points) {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)]);
  const mean = (i) => logs.reduce((sum, point) => sum + point[i], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const sum = (term) => logs.reduce((total, [x, y]) => total + term(x - mx, y - my), 0);
  return sum((x, y) => x * y) / sum((x) => x * x);
}

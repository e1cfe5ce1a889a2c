// How the values of a quantity stand in a table: one a state of the stream, from 0 to the depth; one a block, from 1; or
// one alone, at 0. What has a value for each sublayer has their mean in a block, or their product where it is a factor.

/** Numbers that JSON lacks. */
const WORDS = { nan: NaN, inf: Infinity, "-inf": -Infinity };

/** A number as the files have it; undefined where it is none. */
export function number(value) {
  if (typeof value === "number") return value;
  const word = String(value).trim().toLowerCase();
  if (Object.hasOwn(WORDS, word)) return WORDS[word];
  return word !== "" && Number.isFinite(Number(word)) ? Number(word) : undefined;
}

/** Quantities with a value for each sublayer. */
const OF_SUBLAYERS = {
  net_factor: (values) => values.reduce((product, value) => product * value, 1),
  norm_jacobian: mean,
  update_ratio: mean,
};

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Values with one for each block where there was one for each sublayer. */
export function byBlock(quantity, values, depth) {
  const merge = Object.hasOwn(OF_SUBLAYERS, quantity) && OF_SUBLAYERS[quantity];
  if (!merge || values.length % depth !== 0) return values;
  const each = values.length / depth;
  return Array.from({ length: depth }, (_, block) => merge(values.slice(block * each, (block + 1) * each)));
}

/** The number of the first of so many values. */
export const firstBlock = (count, depth) => (count === depth && depth > 0 ? 1 : 0);

// An order of a module's functions in which like stands near like. A compressor as gzip looks back 32 KiB and no further,
// and a generic function's many instances, each with a name of its own, are spread all over a module.

/** So many bytes in a row make a phrase: some two instructions. */
const PHRASE = 7;
/** How far back a phrase is of use, in bytes: as far as gzip looks, less one function. */
const REACH = 31_000;
/** Phrases of so many functions tell nothing of one. */
const COMMON = 3000;
/** Added to a function's length where its phrases are counted for each byte, or the shortest would be all that is like. */
const LENGTH = 120;
/** With fewer phrases a byte than this, nothing is like what was before, and the longest of the rest begins anew. */
const LEAST = 0.02;

/** The phrases of each function, by number, and the functions of each phrase. Those of one function alone have none. */
function phrases(bodies) {
  const numbers = new Map();
  const owners = [];
  for (const [index, body] of bodies.entries()) {
    for (let at = 0; at + PHRASE <= body.length; at++) {
      let hash = 0x811c9dc5;
      for (let i = at; i < at + PHRASE; i++) hash = Math.imul(hash ^ body[i], 0x01000193);
      let number = numbers.get(hash);
      if (number === undefined) numbers.set(hash, (number = owners.push([]) - 1));
      const known = owners[number];
      if (known.at(-1) !== index) known.push(index);
    }
  }
  const shared = owners.filter((functions) => functions.length > 1 && functions.length <= COMMON);
  const of = bodies.map(() => []);
  for (const [number, functions] of shared.entries()) for (const index of functions) of[index].push(number);
  return { of, shared };
}

/**
 * The indices of the functions, given by their bytes, in an order that a compressor makes less of: each time comes the one
 * with most phrases, for its length, that stand in the last REACH bytes.
 */
export function order(bodies) {
  const { of, shared } = phrases(bodies);
  const known = new Int32Array(shared.length);
  const likeness = new Float64Array(bodies.length);
  const change = (index, by) => {
    for (const number of of[index]) {
      const before = known[number];
      known[number] += by;
      if (before === 0 || known[number] === 0) for (const other of shared[number]) likeness[other] += by;
    }
  };
  const left = new Set(bodies.keys());
  const out = [];
  let [oldest, bytes] = [0, 0];
  const best = (worth) => {
    let [found, most] = [-1, -Infinity];
    for (const index of left) {
      const value = worth(index);
      if (value > most) [found, most] = [index, value];
    }
    return { found, most };
  };
  const longest = () => best((index) => bodies[index].length).found;
  const likest = () => {
    const { found, most } = best((index) => likeness[index] / (bodies[index].length + LENGTH));
    return most > LEAST ? found : longest();
  };
  for (let next = longest(); left.size > 0; next = likest()) {
    left.delete(next);
    out.push(next);
    bytes += bodies[next].length;
    change(next, 1);
    while (bytes > REACH && oldest + 1 < out.length) {
      bytes -= bodies[out[oldest]].length;
      change(out[oldest++], -1);
    }
  }
  return out;
}

// The order of functions in the page's WebAssembly.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { order } from "../scripts/order-functions.mjs";

/** Bytes that no compressor finds anything in, the same each time. */
function noise(seed, length) {
  let state = seed;
  return Uint8Array.from({ length }, () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24);
}

/** Functions of `kinds` kinds, `each` of a kind, which differ in their first bytes alone; a kind comes back after 60 KiB. */
const mixed = (kinds, each, length) =>
  Array.from({ length: kinds * each }, (_, i) => Uint8Array.from([...noise(1e6 + i, 8), ...noise(i % kinds, length)]));
const packed = (bodies) => gzipSync(Buffer.concat(bodies), { level: 9 }).length;

test("every function comes once", () => {
  const bodies = [...mixed(40, 5, 300), new Uint8Array(), Uint8Array.of(1), Uint8Array.of(1), noise(9, 50_000)];
  assert.deepEqual(order(bodies).sort((a, b) => a - b), [...bodies.keys()]);
  assert.deepEqual(order([]), []);
});

test("functions of a kind stand together where a compressor would have forgotten the last", () => {
  const bodies = mixed(60, 4, 1000);
  const places = order(bodies).map((index) => index % 60);
  assert.equal(places.filter((kind, i) => i > 0 && kind !== places[i - 1]).length, 59, places.join(" "));
  assert.ok(packed(order(bodies).map((index) => bodies[index])) < packed(bodies) / 3);
});

// The model that everyone computes, and its random numbers, drawn as Normscope draws them: pcg4d on (position, tensor,
// layer, seed) and Box-Muller on 24-bit uniforms. Written anew here, so that agreement of the norms is a test of both.

const GLOBAL_LAYER = 0xffffffff;
const TENSOR = { input: 0, targets: 1, unembedding: 2, wq: 8, wk: 9, wv: 10, wo: 11, w1: 12, w2: 13 };
const FFN = 4;
const VOCAB = 64;

/** The layer matrices whose gradients are compared, in the order in which everyone returns them. */
export const MATRICES = ["wq", "wk", "wv", "wo", "w1", "w2"];

/** A model by its name, such as 24x64x32x4: depth, width, tokens, heads; Pre-LN, one sequence, seed 0. */
export function model(name) {
  const [depth, width, tokens, heads] = name.split("x").map(Number);
  if (![depth, width, tokens, heads].every((n) => n > 0)) {
    throw new Error(`${name} is not depth x width x tokens x heads`);
  }
  return { name, depth, width, tokens, heads, hidden: FFN * width, vocab: VOCAB, seed: 0 };
}

/** The query of Normscope for it. */
export function query({ depth, width, tokens, heads, seed }) {
  const shape = `depth=${depth}&width=${width}&tokens=${tokens}&batch=1&heads=${heads}&ffn=${FFN}&vocab=${VOCAB}`;
  return `placement=pre&act=gelu&causal=1&norm=layernorm&init=xavier&${shape}&seed=${seed}`;
}

/** Floating-point operations of a forward and backward pass (72 D^2 N L + 12 T N D L), N = `batch` times T. */
export function flops({ depth, width, tokens }, batch = 1) {
  const rows = batch * tokens;
  return depth * rows * (72 * width * width + 12 * tokens * width);
}

/** Four words from four words (Jarzynski & Olano 2020). */
function pcg4d(words) {
  const v = words.map((word) => (Math.imul(word, 1664525) + 1013904223) | 0);
  const mix = () => {
    v[0] = (v[0] + Math.imul(v[1], v[3])) | 0;
    v[1] = (v[1] + Math.imul(v[2], v[0])) | 0;
    v[2] = (v[2] + Math.imul(v[0], v[1])) | 0;
    v[3] = (v[3] + Math.imul(v[1], v[2])) | 0;
  };
  mix();
  for (let i = 0; i < 4; i++) v[i] ^= v[i] >>> 16;
  mix();
  return v.map((word) => word >>> 0);
}

/** `count` normals of this standard deviation. */
function normals(tensor, layer, seed, count, deviation) {
  const out = new Float32Array(count);
  for (let at = 0; at < count; at += 4) {
    const words = pcg4d([at / 4, tensor, layer, seed]);
    for (let pair = 0; pair < 4; pair += 2) {
      const u1 = ((words[pair] >>> 8) + 1) * 2 ** -24;
      const radius = deviation * Math.sqrt(-2 * Math.log(u1));
      const angle = 2 * Math.PI * (words[pair + 1] >>> 8) * 2 ** -24;
      // Past the end nothing is stored.
      out[at + pair] = radius * Math.cos(angle);
      out[at + pair + 1] = radius * Math.sin(angle);
    }
  }
  return out;
}

/** Matrices of `rows` rows beside each other, as one. */
function beside(matrices, rows) {
  const widths = matrices.map((matrix) => matrix.length / rows);
  const total = widths.reduce((a, b) => a + b);
  const out = new Float32Array(rows * total);
  let column = 0;
  matrices.forEach((matrix, i) => {
    for (let row = 0; row < rows; row++) {
      out.set(matrix.subarray(row * widths[i], (row + 1) * widths[i]), row * total + column);
    }
    column += widths[i];
  });
  return out;
}

/**
 * Every tensor, row-major: `input` (T, D), `targets` (T) as class numbers, `unembedding` (D, V), and of each block
 * `qkv` (D, 3 D), W_Q, W_K and W_V beside each other, `wo` (D, D), `w1` (D, 4 D), `w2` (4 D, D).
 */
export function draw({ depth, width, tokens, hidden, vocab, seed }) {
  const xavier = (fanIn, fanOut) => Math.sqrt(2 / (fanIn + fanOut));
  const matrix = (name, layer, fanIn, fanOut) =>
    normals(TENSOR[name], layer, seed, fanIn * fanOut, xavier(fanIn, fanOut));
  const targets = new Int32Array(tokens);
  for (let at = 0; at < tokens; at++) {
    targets[at] = pcg4d([at >> 2, TENSOR.targets, GLOBAL_LAYER, seed])[at & 3] % vocab;
  }
  return {
    input: normals(TENSOR.input, GLOBAL_LAYER, seed, tokens * width, 1),
    targets,
    unembedding: normals(TENSOR.unembedding, GLOBAL_LAYER, seed, width * vocab, 1 / Math.sqrt(width)),
    blocks: Array.from({ length: depth }, (_, layer) => ({
      qkv: beside(["wq", "wk", "wv"].map((name) => matrix(name, layer, width, width)), width),
      wo: matrix("wo", layer, width, width),
      w1: matrix("w1", layer, width, hidden),
      w2: matrix("w2", layer, hidden, width),
    })),
  };
}

/**
 * What a pass returns, by name, from the flat list that the peers read back: the loss, of U's gradient the square sum,
 * then of each block the square sums of the stream that enters it, of its gradient, and of the gradients of
 * `MATRICES`; last stream and gradient behind the last block.
 */
export function seriesOfSquares(values, { width, tokens }) {
  const stride = 2 + MATRICES.length;
  const depth = (values.length - 4) / stride;
  const at = (block, place) => values[2 + stride * block + place];
  const column = (length, place, map) => Array.from({ length }, (_, block) => map(at(block, place)));
  const series = {
    loss: [values[0]],
    grad_unembed: [Math.sqrt(values[1])],
    stream_rms: column(depth + 1, 0, (square) => Math.sqrt(square / (tokens * width))),
    grad_stream: column(depth + 1, 1, Math.sqrt),
  };
  MATRICES.forEach((name, i) => (series[`grad_weight.${name}`] = column(depth, 2 + i, Math.sqrt)));
  return series;
}

/** The same from Normscope's JSON. */
export function seriesOfRun(run) {
  const series = {};
  for (const name of ["loss", "grad_unembed", "stream_rms", "grad_stream"]) {
    series[name] = [run[name]].flat().map(Number);
  }
  for (const name of MATRICES) series[`grad_weight.${name}`] = run.grad_weight[name].map(Number);
  return series;
}

/** The largest relative difference of two runs' values; NaN where one has none. Throws where the lengths differ. */
export function difference(got, want) {
  let largest = 0;
  for (const [name, values] of Object.entries(want)) {
    const length = got[name]?.length;
    if (length !== values.length) throw new Error(`${name} has ${length} values, not ${values.length}`);
    const off = values.map((value, i) => Math.abs(got[name][i] - value) / Math.abs(value));
    // (Math.max is NaN where one of its arguments is.)
    largest = Math.max(largest, ...off);
  }
  return largest;
}

// The model in jax-js: one jitted function of all parameters returns every square sum in one array. jax-js frees an
// array at its first use; `.ref` keeps it for another.

import { defaultDevice, init, jit, nn, numpy as np, valueAndGrad } from "@jax-js/jax";
import { draw, seriesOfSquares } from "/bench/model.mjs";

/** Rows in which one concatenation takes its inputs. */
const CONCATENATED = 8;

/** Opens the back end (`webgpu` or `wasm`) with all weights on it. */
export async function open(backend, model) {
  const ready = await init(backend);
  if (!ready.includes(backend)) throw new Error(`jax-js has no ${backend} here`);
  defaultDevice(backend);
  const { width, tokens, heads, hidden, vocab } = model;
  const tensors = draw(model);
  const array = (values, ...shape) => np.array(values).reshape(shape);

  const oneHot = new Float32Array(tokens * vocab);
  tensors.targets.forEach((target, row) => (oneHot[row * vocab + target] = 1));
  const hidden_pairs = new Float32Array(tokens * tokens);
  for (let row = 0; row < tokens; row++) hidden_pairs.fill(-1e9, row * tokens + row + 1, (row + 1) * tokens);
  const constants = {
    input: array(tensors.input, tokens, width),
    targets: array(oneHot, tokens, vocab),
    mask: array(hidden_pairs, 1, tokens, tokens),
  };
  const unembedding = array(tensors.unembedding, width, vocab);
  const blocks = tensors.blocks.map(({ qkv, wo, w1, w2 }) => ({
    qkv: array(qkv, width, 3 * width),
    wo: array(wo, width, width),
    w1: array(w1, width, hidden),
    w2: array(w2, hidden, width),
    // The gradient by it is the one by the stream that enters the block.
    shift: np.zeros([tokens, width]),
  }));
  const lastShift = np.zeros([tokens, width]);

  const squares = (x, ...shape) => np.square(x).sum().reshape(shape);
  const norm = (x) => nn.standardize(x, -1, { epsilon: 1e-5 });

  function attention(x, block, mask) {
    const size = width / heads;
    const parts = np.matmul(x, block.qkv).reshape([tokens, 3, heads, size]).transpose([1, 2, 0, 3]);
    const [q, k, v] = [parts.ref.slice(0), parts.ref.slice(1), parts.slice(2)];
    const scores = np.matmul(q, k.transpose([0, 2, 1])).mul(1 / Math.sqrt(size)).add(mask);
    const mixed = np.matmul(nn.softmax(scores, -1), v).transpose([1, 0, 2]).reshape([tokens, width]);
    return np.matmul(mixed, block.wo);
  }

  function loss({ blocks, lastShift, unembedding }, { input, targets, mask }) {
    let x = input;
    const streams = [];
    for (const block of blocks) {
      x = x.add(block.shift);
      streams.push(squares(x.ref, 1));
      x = x.ref.add(attention(norm(x), block, mask.ref));
      x = x.ref.add(np.matmul(nn.gelu(np.matmul(norm(x), block.w1)), block.w2));
    }
    mask.dispose();
    x = x.add(lastShift);
    streams.push(squares(x.ref, 1));
    const logits = np.matmul(norm(x), unembedding);
    const value = nn.logSoftmax(logits, -1).mul(targets).sum().mul(-1 / tokens);
    return [value, streams];
  }

  function concatenated(arrays) {
    while (arrays.length > 1) {
      const groups = [];
      for (let at = 0; at < arrays.length; at += CONCATENATED) {
        const group = arrays.slice(at, at + CONCATENATED);
        groups.push(group.length > 1 ? np.concatenate(group) : group[0]);
      }
      arrays = groups;
    }
    return arrays[0];
  }

  const pass = jit((parameters, constants) => {
    const [[value, streams], gradient] = valueAndGrad(loss, { hasAux: true })(parameters, constants);
    const parts = [np.concatenate([value.reshape([1]), squares(gradient.unembedding, 1)])];
    gradient.blocks.forEach(({ shift, qkv, wo, w1, w2 }, i) => {
      const threeSquares = np.square(qkv).reshape([width, 3, width]).sum([0, 2]);
      parts.push(
        np.concatenate([streams[i], squares(shift, 1), threeSquares, squares(wo, 1), squares(w1, 1), squares(w2, 1)]),
      );
    });
    parts.push(np.concatenate([streams.at(-1), squares(gradient.lastShift, 1)]));
    return concatenated(parts);
  });

  const kept = (object) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, value.ref]));
  return {
    async pass(depth) {
      const parameters = {
        blocks: blocks.slice(0, depth).map(kept),
        lastShift: lastShift.ref,
        unembedding: unembedding.ref,
      };
      return await pass(parameters, kept(constants)).data();
    },
    series: (values) => seriesOfSquares(values, model),
  };
}

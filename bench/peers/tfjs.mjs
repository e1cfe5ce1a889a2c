// The model in TensorFlow.js: one `tidy` around value and gradients, every square sum in one tensor.

/* global tf */
import { draw, seriesOfSquares } from "/bench/model.mjs";

/** Loads a classic script. */
function load(src) {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    Object.assign(script, { src, onload: done, onerror: () => failed(new Error(`${src} did not load`)) });
    document.head.append(script);
  });
}

/** Opens the back end (`webgpu` or `wasm`) with all weights on it. */
export async function open(backend, model) {
  const modules = "/modules/@tensorflow";
  await load(`${modules}/tfjs/dist/tf.min.js`);
  await load(`${modules}/tfjs-backend-${backend}/dist/tf-backend-${backend}.min.js`);
  if (backend === "wasm") {
    tf.wasm.setWasmPaths(`${modules}/tfjs-backend-wasm/dist/`);
    tf.wasm.setThreadsCount(navigator.hardwareConcurrency);
  }
  if (!(await tf.setBackend(backend))) throw new Error(`TensorFlow.js has no ${backend} here`);
  await tf.ready();

  const { width, tokens, heads, hidden, vocab } = model;
  const tensors = draw(model);
  const input = tf.tensor2d(tensors.input, [tokens, width]);
  const targets = tf.oneHot(tf.tensor1d(tensors.targets, "int32"), vocab).cast("float32");
  const pairs = new Float32Array(tokens * tokens);
  for (let row = 0; row < tokens; row++) pairs.fill(-1e9, row * tokens + row + 1, (row + 1) * tokens);
  const mask = tf.tensor3d(pairs, [1, tokens, tokens]);
  const unembedding = tf.tensor2d(tensors.unembedding, [width, vocab]);
  const blocks = tensors.blocks.map(({ qkv, wo, w1, w2 }) => [
    // The gradient by it is the one by the stream that enters the block.
    tf.zeros([tokens, width]),
    tf.tensor2d(qkv, [width, 3 * width]),
    tf.tensor2d(wo, [width, width]),
    tf.tensor2d(w1, [width, hidden]),
    tf.tensor2d(w2, [hidden, width]),
  ]);
  const perBlock = 5;
  const lastShift = tf.zeros([tokens, width]);

  const squares = (x) => x.square().sum().reshape([1]);
  function norm(x) {
    const centred = x.sub(x.mean(-1, true));
    return centred.mul(centred.square().mean(-1, true).add(1e-5).rsqrt());
  }
  function gelu(x) {
    const inner = x.square().mul(0.044715).add(1).mul(x).mul(Math.sqrt(2 / Math.PI));
    return x.mul(0.5).mul(inner.tanh().add(1));
  }
  function attention(x, qkv, wo) {
    const size = width / heads;
    const [q, k, v] = x.matMul(qkv).reshape([tokens, 3, heads, size]).transpose([1, 2, 0, 3]).unstack(0);
    const scores = tf.matMul(q, k, false, true).mul(1 / Math.sqrt(size)).add(mask);
    return tf.matMul(tf.softmax(scores), v).transpose([1, 0, 2]).reshape([tokens, width]).matMul(wo);
  }

  function pass(depth) {
    const streams = [];
    const seen = (x) => {
      // `grads` frees what its function makes.
      streams.push(tf.keep(squares(x)));
      return x;
    };
    const loss = (...parameters) => {
      let x = input;
      for (let layer = 0; layer < depth; layer++) {
        const [shift, qkv, wo, w1, w2] = parameters.slice(perBlock * layer, perBlock * (layer + 1));
        x = seen(x.add(shift));
        x = x.add(attention(norm(x), qkv, wo));
        x = x.add(gelu(norm(x).matMul(w1)).matMul(w2));
      }
      const [shift, lastMatrix] = parameters.slice(perBlock * depth);
      const logits = norm(seen(x.add(shift))).matMul(lastMatrix);
      return tf.logSoftmax(logits).mul(targets).sum().mul(-1 / tokens);
    };
    const parameters = [...blocks.slice(0, depth).flat(), lastShift, unembedding];
    const result = tf.tidy(() => {
      const { value, grads } = tf.valueAndGrads(loss)(parameters);
      const parts = [value.reshape([1]), squares(grads.at(-1))];
      for (let layer = 0; layer < depth; layer++) {
        const [shift, qkv, wo, w1, w2] = grads.slice(perBlock * layer, perBlock * (layer + 1));
        const threeSquares = qkv.square().reshape([width, 3, width]).sum([0, 2]);
        parts.push(streams[layer], squares(shift), threeSquares, squares(wo), squares(w1), squares(w2));
      }
      parts.push(streams[depth], squares(grads.at(-2)));
      return tf.concat(parts);
    });
    tf.dispose(streams);
    return result;
  }

  return {
    async pass(depth) {
      const result = pass(depth);
      const values = await result.data();
      result.dispose();
      return values;
    },
    series: (values) => seriesOfSquares(values, model),
  };
}

"""The model in JAX on the processor: jitted value and gradient, a scan over the blocks, all square sums in one array.

    python native_jax.py TENSORS.json

TENSORS.json has the model's sizes and the names, kinds and shapes of its tensors, which lie one after the other in
TENSORS.bin beside it. Each line of standard input is a depth; the answer to each is a line of JSON with the milliseconds
that the pass took and what it returned. A first line names the version. (Unrolled, steady passes are no faster, and
compiling 200 blocks takes over ten minutes.)
"""

import json
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_platforms", "cpu")


def load(path):
    """The sizes, and the tensors by name; those of the blocks have a leading axis."""
    sizes = json.loads(Path(path).read_text())
    raw = Path(path).with_suffix(".bin").read_bytes()
    tensors, at = {}, 0
    for name, kind, shape in sizes["tensors"]:
        count = int(np.prod(shape))
        tensors[name] = jnp.asarray(np.frombuffer(raw, kind, count, at).reshape(shape))
        at += 4 * count
    return sizes, tensors


def norm(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def squares(x, axes=None):
    return (x**2).sum(axes)


def program(heads, targets):
    """The jitted pass: blocks, a shift of the last stream, un-embedding and input to the values."""

    def attention(x, qkv, wo):
        tokens, width = x.shape
        size = width // heads
        q, k, v = (x @ qkv).reshape(tokens, 3, heads, size).transpose(1, 2, 0, 3)
        mask = jnp.tril(jnp.ones((tokens, tokens), bool))
        scores = jnp.where(mask, q @ k.swapaxes(1, 2) / np.sqrt(size), -jnp.inf)
        return (jax.nn.softmax(scores) @ v).transpose(1, 0, 2).reshape(tokens, width) @ wo

    def block(x, parameters):
        shift, qkv, wo, w1, w2 = parameters
        # The gradient by it is the one by the stream that enters the block.
        x = x + shift
        entering = squares(x)
        x = x + attention(norm(x), qkv, wo)
        return x + jax.nn.gelu(norm(x) @ w1, approximate=True) @ w2, entering

    def loss(blocks, last_shift, unembedding, x):
        x, streams = jax.lax.scan(block, x, blocks)
        x = x + last_shift
        logits = jax.nn.log_softmax(norm(x) @ unembedding)
        return -jnp.take_along_axis(logits, targets[:, None], 1).mean(), (streams, squares(x))

    @jax.jit
    def run(blocks, last_shift, unembedding, x):
        gradients = jax.value_and_grad(loss, (0, 1, 2), has_aux=True)
        (value, (streams, last_stream)), gradient = gradients(blocks, last_shift, unembedding, x)
        (shift, qkv, wo, w1, w2), by_last, by_unembedding = gradient
        width = x.shape[1]
        three = squares(qkv.reshape(-1, width, 3, width), (1, 3))
        columns = [streams, squares(shift, (1, 2)), *three.T, *(squares(g, (1, 2)) for g in (wo, w1, w2))]
        first = jnp.stack([value, squares(by_unembedding)])
        last = jnp.stack([last_stream, squares(by_last)])
        return jnp.concatenate([first, jnp.stack(columns, 1).ravel(), last])

    return run


def main():
    sizes, tensors = load(sys.argv[1])
    run = program(sizes["heads"], tensors["targets"])
    x = tensors["input"]
    last_shift = jnp.zeros(x.shape)
    matrices = [tensors[name] for name in ("qkv", "wo", "w1", "w2")]
    print(json.dumps({"version": jax.__version__}), flush=True)
    depth, blocks = None, None
    for line in sys.stdin:
        if int(line) != depth:
            depth = int(line)
            blocks = [jnp.zeros((depth, *x.shape)), *(matrix[:depth] for matrix in matrices)]
            jax.block_until_ready(blocks)
        start = time.perf_counter()
        values = np.asarray(run(blocks, last_shift, tensors["unembedding"], x))
        milliseconds = 1000 * (time.perf_counter() - start)
        print(json.dumps({"milliseconds": milliseconds, "values": values.tolist()}), flush=True)


main()

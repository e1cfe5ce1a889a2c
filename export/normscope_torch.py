#!/usr/bin/env python3
"""Computes a run of Normscope anew with PyTorch: the same random numbers, model, loss and statistics.

    pip install torch
    python normscope_torch.py > run.csv                             the run of QUERY below
    python normscope_torch.py "placement=post,pre&depth=48&seeds=3"   another one
    python normscope_torch.py --float32                             in single precision, as a graphics device has it

The table on standard output has the columns model, depth, seed, statistic, block, value. Statistics are named as on the
page; states of the stream count from 0 to the depth, blocks from 1.
"""
import argparse
import csv
import math
import sys
from collections import namedtuple
from types import SimpleNamespace
from urllib.parse import parse_qsl

import numpy as np
import torch
import torch.nn.functional as F

# Link: ?placement=pre&depth=24
QUERY = "placement=pre&depth=24"

# ---- from here on the same in every script: the run, its random numbers, what is measured ----------------------------
PLACEMENTS = "post pre sandwich olmo2 deepnorm peri none residual b2t admin lns mixln keel".split()
INTEGERS = {  # default, least, most
    "depth": (24, 1, 200), "width": (64, 16, 1024), "heads": (4, 1, 16), "tokens": (32, 2, 256), "batch": (2, 1, 8),
    "ffn": (4, 1, 8), "vocab": (64, 2, 1024), "seed": (0, 0, 2**32 - 1), "seeds": (1, 1, 32),
}
CHOICES = {  # the default first
    "norm": "layernorm rmsnorm", "act": "relu gelu swiglu",
    "init": "xavier xavier-uniform he lecun normal-0.02 small", "residual_scale": "none gpt2 zero",
    "qk_norm": "none head full", "causal": "0 1", "attention": "softmax uniform", "output_projection": "1 0",
    "cross": "0 1", "final_norm": "auto on off",
}
PAGE_ONLY = """v presets view claim tour guide topic verdict engine first_statistic statistic first_scale stream_scale
    statistic_scale relation along multiples projector theory deepest memory speed repeat lang theme embed hide""".split()
# The keys of a model in the order in which a link has them; depth, seed and seeds have columns of their own.
MODEL_KEYS = """width heads tokens batch ffn vocab norm act init residual_scale qk_norm causal attention output_projection
    cross memory_cos final_norm""".split()


def parse(query):
    """One run for each placement and each model that is kept; what is not understood ends the program."""
    defaults = {name: limits[0] for name, limits in INTEGERS.items()}
    defaults |= {name: words.split()[0] for name, words in CHOICES.items()} | {"memory_cos": 1.0}
    run, placements, kept = dict(defaults), ["pre"], []
    for name, text in parse_qsl(query.lstrip("?"), keep_blank_values=True):
        if name == "placement" and all(word in PLACEMENTS for word in text.split(",")):
            placements = list(dict.fromkeys(text.split(",")))
        elif name in INTEGERS and text.isdecimal() and INTEGERS[name][1] <= int(text) <= INTEGERS[name][2]:
            run[name] = int(text)
        elif name in CHOICES and text in CHOICES[name].split():
            run[name] = text
        elif name == "memory_cos" and text.replace(".", "", 1).isdecimal() and float(text) <= 1:
            run[name] = float(text)
        elif name == "pin":
            kept = [model for model in text.split("~") if model]
        elif name not in PAGE_ONLY:
            sys.exit(f"error: this script does not know {name}={text}")
    if run["width"] % run["heads"]:
        run["heads"] = max(heads for heads in range(1, 5) if run["width"] % heads == 0)
        print(f"heads has to divide width: it is {run['heads']}", file=sys.stderr)
    texts = run | {"memory_cos": np.format_float_positional(run["memory_cos"], trim="-")}
    changed = [f"{name}={texts[name]}" for name in MODEL_KEYS if run[name] != defaults[name]]
    shown = [SimpleNamespace(**run, placement=placement, label="&".join([f"placement={placement}", *changed]))
             for placement in placements]
    # post;depth:96 is placement=post&depth=96, beside the seeds that all have.
    pairs = [f"placement={model}&seeds={run['seeds']}".replace(";", "&").replace(":", "=") for model in kept]
    pinned = [model for pair in pairs for model in parse(pair)]
    return [model for model in shown if model not in pinned] + pinned


Sublayer = namedtuple("Sublayer", "kind input_norm branch_norm sum_norm adds_block_input")


def architecture(run, place=None):
    """The sublayers of each block; the factor of each on the stream, and that of each block on what a norm hands to f.

    A sublayer maps x to sum_norm(skip x + branch_norm(f(damping input_norm(x)))).
    """
    place, depth = place or run.placement, run.depth
    kinds = ["attention", "cross", "ffn"] if run.cross == "1" else ["attention", "ffn"]
    blocks, skip, damping = [], np.ones((depth, len(kinds))), np.ones(depth)
    for l in range(depth):
        here = place if place != "mixln" else "post" if l < round(depth / 4) else "pre"
        blocks.append(tuple(Sublayer(
            kind,
            input_norm=here in ("pre", "sandwich", "peri", "lns", "keel"),
            branch_norm=here in ("sandwich", "olmo2", "peri"),
            sum_norm=here in ("post", "deepnorm", "residual", "b2t", "admin") or here == "keel" and (l, s) != (0, 0),
            adds_block_input=here == "b2t" and kind == "ffn",
        ) for s, kind in enumerate(kinds)))
    if place == "deepnorm":
        skip[:] = (2 * depth) ** 0.25
    if place == "keel":
        skip.flat[2:] = skip.size
    if place == "lns":
        damping /= np.sqrt(np.arange(1, depth + 1))
    return blocks, skip, damping


def has_final_norm(run):
    unnormed = run.placement in ("post", "deepnorm", "b2t", "admin", "keel")
    return run.placement != "residual" and (run.final_norm == "on" or run.final_norm == "auto" and not unnormed)


def random_words(count, tensor, layer, seed):
    """pcg4d of Jarzynski and Olano, JCGT 9(3), 2020: four 32-bit words for each (i, tensor, layer, seed)."""
    v = np.empty((4, -(-count // 4)), np.uint32)
    v[0], v[1:] = np.arange(v.shape[1]), np.array([[tensor], [layer], [seed]], np.uint32)
    v = v * np.uint32(1664525) + np.uint32(1013904223)
    for shift in (16, None):
        v[0] += v[1] * v[3]
        v[1] += v[2] * v[0]
        v[2] += v[0] * v[1]
        v[3] += v[1] * v[2]
        if shift:
            v ^= v >> np.uint32(shift)
    return v.T.reshape(-1)[:count]


def normals(shape, tensor, layer, seed):
    """Box-Muller on pairs of words, of each the upper 24 bits."""
    count = math.prod(shape)
    w = (random_words(count + count % 2, tensor, layer, seed) >> np.uint32(8)).reshape(-1, 2).astype(float)
    radius, angle = np.sqrt(-2 * np.log((w[:, 0] + 1) / 2**24)), 2 * np.pi * w[:, 1] / 2**24
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)[:count].reshape(shape)


def uniforms(shape, tensor, layer, seed):
    """In [-1, 1)."""
    return ((random_words(math.prod(shape), tensor, layer, seed) >> np.uint32(8)) / 2**23 - 1).reshape(shape)


NO_LAYER = 2**32 - 1
TENSORS = {"w2": 13, "w1": 12, "wg": 14, "wo": 11, "wq": 8, "wk": 9, "wv": 10, "co": 19, "cq": 16, "ck": 17, "cv": 18}


def draw(run, seed):
    """The input, the targets, the memory, the un-embedding, and each matrix of all blocks: (L, fan_in, fan_out)."""
    d, h, rows = run.width, run.ffn * run.width, (run.batch, run.tokens)
    blocks, skip, _ = architecture(run)
    absent = {"wo"} if run.output_projection == "0" else set()
    absent |= {"wg"} if run.act != "swiglu" else set()
    absent |= {"cq", "ck", "cv", "co"} if run.cross == "0" else set()
    shapes = {name: {"w1": (d, h), "wg": (d, h), "w2": (h, d)}.get(name, (d, d)) for name in TENSORS if name not in absent}
    weights = {}
    for name, (fan_in, fan_out) in shapes.items():
        std = {"xavier": math.sqrt(2 / (fan_in + fan_out)), "xavier-uniform": math.sqrt(2 / (fan_in + fan_out)),
               "he": math.sqrt(2 / fan_in), "lecun": math.sqrt(1 / fan_in), "normal-0.02": 0.02,
               "small": math.sqrt(2 / (5 * min(fan_in, fan_out)))}[run.init]
        if name in ("wq", "wk") and run.attention == "uniform":
            std = 0.0
        if name not in ("wq", "wk", "cq", "ck") and run.placement == "deepnorm":
            std *= (8 * run.depth) ** -0.25
        if name in ("wo", "co", "w2"):
            std *= {"none": 1.0, "gpt2": skip.size**-0.5, "zero": 0.0}[run.residual_scale]
        one = uniforms if run.init == "xavier-uniform" else normals
        factor = std * math.sqrt(3) if run.init == "xavier-uniform" else std
        weights[name] = np.stack([one((fan_in, fan_out), TENSORS[name], l, seed) * factor for l in range(run.depth)])
    memory = math.sqrt(run.memory_cos) * normals((run.batch, 1, d), 3, NO_LAYER, seed)
    memory = memory + math.sqrt(1 - run.memory_cos) * normals((*rows, d), 4, NO_LAYER, seed)
    memory -= memory.mean(-1, keepdims=True)
    memory /= np.sqrt((memory**2).mean(-1, keepdims=True) + 1e-5)
    return SimpleNamespace(
        x0=normals((*rows, d), 0, NO_LAYER, seed), memory=memory, weights=weights,
        targets=(random_words(math.prod(rows), 1, NO_LAYER, seed) % np.uint32(run.vocab)).astype(np.int64).reshape(rows),
        unembedding=normals((d, run.vocab), 2, NO_LAYER, seed) / math.sqrt(d))


def norm_of(x, axis=None):
    """The Euclidean norm, also where squares would leave the range."""
    peak = np.abs(x).max(axis, keepdims=True)
    with np.errstate(invalid="ignore"):
        scaled = x / np.where(peak == 0, 1, peak)
    return (peak * np.sqrt((scaled**2).sum(axis, keepdims=True))).squeeze(axis)


def token_cosine(x):
    """The mean cosine of two different tokens of a sequence; x (B, T, d)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        total = (x / norm_of(x, -1)[..., None]).sum(1)
    tokens = x.shape[1]
    return (((total**2).sum(-1) - tokens) / (tokens * (tokens - 1))).mean()


def rank_residual(x):
    """What is left of x (B, T, d) without its mean over the tokens of each sequence."""
    apart = x - x[:, :1]
    return norm_of(apart - apart.mean(1, keepdims=True)) / norm_of(x)


def statistics(run, result):
    """Pairs of a statistic's name and its values, by the arrays that `compute` returns."""
    states, grads = (np.asarray(a, float) for a in (result["states"], result["stream_grads"]))
    per_block = (len(grads) - 1) // run.depth
    sizes = np.array([norm_of(g) for g in grads])
    yield "loss", [result["loss"]]
    yield "stream_rms", [norm_of(x) / math.sqrt(x.size) for x in states]
    yield "stream_max", [np.abs(x).max() for x in states]
    yield "token_cosine", [token_cosine(x) for x in states]
    yield "rank_residual", [rank_residual(x) for x in states]
    yield "update_ratio", np.mean(result["update_ratio"], 1)
    yield "grad_stream", sizes[::per_block]
    yield "grad_cosine", [token_cosine(g) for g in grads[::per_block]]
    for name, grad in result["weight_grads"].items():
        yield f"grad_weight.{name}", [norm_of(np.asarray(g, float)) for g in grad]
    yield "grad_unembed", [norm_of(np.asarray(result["unembedding_grad"], float))]
    with np.errstate(invalid="ignore", divide="ignore"):
        yield "net_factor", (sizes[:-1:per_block] / sizes[per_block::per_block]) ** 2
    if run.placement not in ("none", "olmo2"):
        yield "norm_jacobian", np.mean(result["norm_jacobian"], 1)
    if run.attention == "softmax":
        yield "attention_entropy", result["attention_entropy"]
        yield "max_logit", result["max_logit"]


OF_STATES = ("stream_rms", "stream_max", "token_cosine", "rank_residual", "grad_stream", "grad_cosine")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("query", nargs="?", default=QUERY, help="what a link has after the question mark")
    parser.add_argument("--float32", action="store_true", help="compute in float32; the draws are rounded once")
    arguments = parser.parse_args()
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["model", "depth", "seed", "statistic", "block", "value"])
    for run in parse(arguments.query):
        compute = program(run, "float32" if arguments.float32 else "float64")
        for seed in ((run.seed + i) % 2**32 for i in range(run.seeds)):
            for name, values in statistics(run, compute(draw(run, seed))):
                # A single number stands at block 0, a state at its number, a block at its number from 1.
                first = 0 if name in OF_STATES or name in ("loss", "grad_unembed") else 1
                for block, value in enumerate(values, first):
                    table.writerow([run.label, run.depth, seed, name, block, repr(float(value))])


# ---- the model in PyTorch ---------------------------------------------------------------------------------------------
def norm(x, kind):
    """LayerNorm or RMSNorm over the last axis, and 1 / sqrt(variance + epsilon)."""
    # A common factor of x and of the deviation makes no difference, but keeps squares within the range.
    factor = x.detach().abs().amax(-1, keepdim=True).clamp(min=1)
    x = x / factor
    if kind == "layernorm":
        x = x - x.mean(-1, keepdim=True)
    deviation = torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5 / factor / factor)
    return x / deviation, 1 / (factor * deviation)


def heads_of(run, x):
    return x.reshape(run.batch, run.tokens, run.heads, -1).transpose(1, 2)


def attention(run, x, source, wq, wk, wv, wo, causal, qk_norm):
    """x reads from source, both (B, T, d); also the mean entropy of the weights by ln T, and the largest score."""
    q, k, v = x @ wq, source @ wk, source @ wv
    if qk_norm == "full":
        q, k = norm(q, "rmsnorm")[0], norm(k, "rmsnorm")[0]
    q, k, v = heads_of(run, q), heads_of(run, k), heads_of(run, v)
    if qk_norm == "head":
        q, k = norm(q, "rmsnorm")[0], norm(k, "rmsnorm")[0]
    scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
    unseen = torch.ones(run.tokens, run.tokens, dtype=torch.bool).triu(1 if causal else run.tokens)
    weights = torch.softmax(scores.masked_fill(unseen, -math.inf), -1)
    mixed = (weights @ v).transpose(1, 2).reshape(x.shape)
    entropy = torch.special.entr(weights.detach()).sum(-1).mean() / math.log(run.tokens)
    return (mixed if wo is None else mixed @ wo), float(entropy), float(scores.detach().masked_fill(unseen, 0).abs().max())


def feed_forward(run, x, w):
    if run.act == "swiglu":
        return (F.silu(x @ w["wg"]) * (x @ w["w1"])) @ w["w2"]
    act = F.relu if run.act == "relu" else lambda y: F.gelu(y, approximate="tanh")
    return act(x @ w["w1"]) @ w["w2"]


def through_blocks(run, place, skip, x, weights, memory):
    """The two streams after the last block, the stream before each sublayer, and what is noted on the way."""
    layouts, _, damping = architecture(run, place)
    z, streams = x, []
    notes = {"update_ratio": [], "norm_jacobian": [], "variance": [], "attention_entropy": [], "max_logit": []}
    for l, layout in enumerate(layouts):
        w, entered = {name: of_blocks[l] for name, of_blocks in weights.items()}, x
        for s, sublayer in enumerate(layout):
            streams.append(x)
            read, inverse = norm(x, run.norm) if sublayer.input_norm else (x, torch.zeros(()))
            read = read * float(damping[l])
            if sublayer.kind == "ffn":
                f = feed_forward(run, read, w)
            elif sublayer.kind == "cross":
                f, _, _ = attention(run, read, memory, w["cq"], w["ck"], w["cv"], w["co"], False, "none")
            else:
                f, entropy, peak = attention(
                    run, read, read, w["wq"], w["wk"], w["wv"], w.get("wo"), run.causal == "1", run.qk_norm)
                notes["attention_entropy"].append(entropy)
                notes["max_logit"].append(peak)
            if sublayer.branch_norm:
                f, _ = norm(f, run.norm)
            added = f.detach().double().numpy()
            with np.errstate(all="ignore"):
                notes["update_ratio"].append(norm_of(added) / (skip[l, s] * norm_of(x.detach().double().numpy())))
                notes["variance"].append(added.var())
            x, z = float(skip[l, s]) * x + f, z + f
            if sublayer.adds_block_input:
                x = x + entered
            if sublayer.sum_norm:
                x, inverse = norm(x, run.norm)
            notes["norm_jacobian"].append(float(inverse.detach().mean()))
    for name in ("update_ratio", "norm_jacobian"):
        notes[name] = np.reshape(notes[name], skip.shape)
    return x, z, [*streams, x], notes


def program(run, precision):
    """A function from the draws of a seed to all arrays that are measured."""
    _, skip, _ = architecture(run)

    def compute(drawn):
        cast = lambda array: torch.tensor(array, dtype=getattr(torch, precision))
        x, memory, unembedding = cast(drawn.x0), cast(drawn.memory), cast(drawn.unembedding).requires_grad_()
        weights = {name: [cast(w).requires_grad_() for w in blocks] for name, blocks in drawn.weights.items()}
        if run.placement == "peri":
            x, _ = norm(x, run.norm)
        x.requires_grad_()
        factors = skip
        if run.placement == "admin":
            with torch.no_grad():
                *_, profile = through_blocks(run, "post", np.ones_like(skip), x, weights, memory)
            factors = np.sqrt(1 + np.append(0, np.cumsum(profile["variance"])[:-1])).reshape(skip.shape)
        x, z, streams, notes = through_blocks(run, run.placement, factors, x, weights, memory)
        out = x
        if run.placement == "residual":
            out = x + norm(z, run.norm)[0]
        elif has_final_norm(run):
            out, _ = norm(x, run.norm)
        loss = F.cross_entropy((out @ unembedding).flatten(0, 1), torch.tensor(drawn.targets).flatten())
        for stream in streams:
            stream.retain_grad()
        loss.backward()
        arrays = lambda tensors: np.stack([tensor.detach().numpy() for tensor in tensors])
        return {**notes, "loss": loss.item(), "states": arrays(streams[::skip.shape[1]]),
                "stream_grads": arrays(stream.grad for stream in streams), "unembedding_grad": unembedding.grad,
                "weight_grads": {name: arrays(w.grad for w in blocks) for name, blocks in weights.items()}}

    return compute


if __name__ == "__main__":
    main()

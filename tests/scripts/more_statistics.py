#!/usr/bin/env python3
"""Writes tests/golden/more: what tests/more_statistics.rs compares the float64 engine with.

Re-run, with NumPy (2.x; any platform whose longdouble has 80 bits):

    python3 tests/scripts/more_statistics.py

A model as the documentation of normscope::model has it, in NumPy, with a tape of operations that
is walked backwards: no derivative of a layer is written down here, save those of the elementary
operations and of the attention of one head. It shares no code with the package. The statistics are
those that normscope::stats::Quantity documents: grad_cosine, rank_residual, attention_entropy,
max_logit, net_factor and norm_jacobian.

Files of RUNS are in float64. Files of COLLAPSED are in 80 bits, for where float64 has digits no more.
"""
import json
import math
import pathlib
from urllib.parse import parse_qsl

import numpy as np

SMALL = "&width=16&heads=2&tokens=5&batch=2&ffn=2&vocab=7"
RUNS = [
    "placement=residual&depth=3&causal=1&act=gelu&seed=3" + SMALL,
    "placement=keel&depth=3&cross=1&memory_cos=0.5&norm=rmsnorm&act=swiglu&qk_norm=head&seed=5" + SMALL,
    "placement=b2t&depth=3&cross=1&memory_cos=0&qk_norm=full&init=he" + SMALL,
    "placement=mixln&depth=6&init=xavier-uniform&causal=1" + SMALL,
    "placement=lns&depth=4&norm=rmsnorm&act=gelu&init=lecun" + SMALL,
    "placement=peri&depth=3&attention=uniform&output_projection=0" + SMALL,
    "placement=none&depth=3&init=small" + SMALL,
    "placement=admin&depth=3&residual_scale=gpt2" + SMALL,
]
COLLAPSED = {
    "placement=post&depth=120&width=16&heads=2&tokens=6": ["rank_residual", "net_factor", "grad_cosine"],
    "placement=post&depth=96&cross=1": ["grad_weight.wq", "grad_weight.wk"],
}
FOLDER = pathlib.Path(__file__).parent.parent / "golden"

DEFAULTS = dict(
    placement="pre", depth=24, width=64, heads=4, tokens=32, batch=2, ffn=4, vocab=64, norm="layernorm", act="relu",
    init="xavier", residual_scale="none", qk_norm="none", causal=0, attention="softmax", output_projection=1, cross=0,
    memory_cos=1.0, final_norm="auto", seed=0,
)


# ---- a tape -------------------------------------------------------------------------------------
class Node:
    """A value, and how a gradient at it becomes gradients at what it was made of."""

    tape = []

    def __init__(self, value, *sources):
        self.value, self.sources, self.grad = value, sources, 0
        Node.tape.append(self)


def add(*terms):
    return Node(sum(t.value for t in terms), *((t, lambda g: g) for t in terms))


def times(a, factor):
    return Node(a.value * factor, (a, lambda g: g * factor))


def product(a, b):
    return Node(a.value * b.value, (a, lambda g: g * b.value), (b, lambda g: g * a.value))


def through(a, value, slope):
    return Node(value, (a, lambda g: g * slope))


def linear(x, w, seen=lambda rows: rows):
    """`seen` is what the gradient of w takes x for."""
    return Node(x.value @ w.value, (x, lambda g: g @ w.value.T), (w, lambda g: seen(x.value).T @ g))


def norm(x, kind, groups=1):
    """Over each of `groups` equal parts of a row; the node, and 1 / sqrt(variance + 1e-5) of each."""
    rows, width = x.value.shape
    parts = x.value.reshape(rows, groups, width // groups)
    mean = lambda a: a.mean(2, keepdims=True)
    off = parts - mean(parts) if kind == "layernorm" else parts
    deviation = np.sqrt(mean(off * off) + x.value.dtype.type(1e-5))
    y = off / deviation

    def back(g):
        g = g.reshape(parts.shape)
        at_off = g / deviation - off * mean(g * off) / deviation**3
        return (at_off - mean(at_off) if kind == "layernorm" else at_off).reshape(rows, width)

    return Node(y.reshape(rows, width), (x, back)), 1 / deviation[:, :, 0]


def backward(loss):
    loss.grad = 1
    for node in reversed(Node.tape):
        if not isinstance(node.grad, int) or node is loss:
            for source, back in node.sources:
                source.grad = source.grad + back(node.grad)


# ---- random numbers -----------------------------------------------------------------------------
def words(count, tensor, layer, seed):
    index = np.arange((count + 3) // 4, dtype=np.uint32)
    state = [index] + [np.full_like(index, v) for v in (tensor, layer, seed)]
    state = [v * np.uint32(1664525) + np.uint32(1013904223) for v in state]

    def stir(s):
        for to, a, b in ((0, 1, 3), (1, 2, 0), (2, 0, 1), (3, 1, 2)):
            s[to] = s[to] + s[a] * s[b]

    stir(state)
    state = [v ^ (v >> np.uint32(16)) for v in state]
    stir(state)
    return np.column_stack(state).ravel()[:count]


def normals(shape, *stream):
    count = math.prod(shape)
    pairs = (words(count + count % 2, *stream) >> np.uint32(8)).astype(float).reshape(-1, 2)
    radius, angle = np.sqrt(-2 * np.log((pairs[:, 0] + 1) / 2**24)), 2 * np.pi * pairs[:, 1] / 2**24
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]).ravel()[:count].reshape(shape)


EVERYWHERE = 2**32 - 1
IDS = dict(wq=8, wk=9, wv=10, wo=11, w1=12, w2=13, wg=14, cq=16, ck=17, cv=18, co=19)


def draw_layer(c, sublayers, kind):
    """The matrices of each block, by name."""
    d, h, depth = c["width"], c["width"] * c["ffn"], c["depth"]
    shapes = {name: (d, d) for name in ("wq", "wk", "wv")} | {"w1": (d, h), "w2": (h, d)}
    if c["output_projection"]:
        shapes["wo"] = (d, d)
    if c["act"] == "swiglu":
        shapes["wg"] = (d, h)
    if c["cross"]:
        shapes |= {name: (d, d) for name in ("cq", "ck", "cv", "co")}
    spread = {
        "xavier": lambda i, o: math.sqrt(2 / (i + o)), "xavier-uniform": lambda i, o: math.sqrt(2 / (i + o)),
        "he": lambda i, o: math.sqrt(2 / i), "lecun": lambda i, o: math.sqrt(1 / i), "normal-0.02": lambda i, o: 0.02,
        "small": lambda i, o: math.sqrt(2 / (5 * min(i, o))),
    }[c["init"]]
    blocks = []
    for block in range(depth):
        made = {}
        for name, shape in shapes.items():
            std = spread(*shape)
            if c["placement"] == "deepnorm" and name not in ("wq", "wk", "cq", "ck"):
                std *= (8 * depth) ** -0.25
            if name in ("wo", "w2", "co"):
                std *= {"none": 1, "gpt2": (sublayers * depth) ** -0.5, "zero": 0}[c["residual_scale"]]
            if name in ("wq", "wk") and c["attention"] == "uniform":
                std = 0.0
            stream = (IDS[name], block, c["seed"])
            if c["init"] == "xavier-uniform":
                unit = (words(math.prod(shape), *stream) >> np.uint32(8)).astype(float) / 2**23 - 1
                unit = unit.reshape(shape) * math.sqrt(3)
            else:
                unit = normals(shape, *stream)
            made[name] = Node((unit * std).astype(kind))
        blocks.append(made)
    return blocks


# ---- a model ------------------------------------------------------------------------------------
def centre(c, rows):
    """Rows less their mean over each sequence."""
    apart = rows.reshape(c["batch"], c["tokens"], -1)
    return (apart - apart.mean(1, keepdims=True)).reshape(rows.shape)


def attention(c, x, source, w, names, notes):
    """Self-attention where `source` is x. Where a shift changes nothing exactly it is made, to keep digits."""
    q_name, k_name, v_name, o_name = names
    own, heads, tokens = source is x, c["heads"], c["tokens"]
    qk_norm = c["qk_norm"] if own else "none"
    q = linear(x, w[q_name])
    k = linear(source, w[k_name], (lambda r: centre(c, r)) if qk_norm == "none" else (lambda r: r))
    v = linear(source, w[v_name])
    if qk_norm != "none":
        groups = heads if qk_norm == "head" else 1
        q, k = norm(q, "rmsnorm", groups)[0], norm(k, "rmsnorm", groups)[0]
    width = c["width"] // heads
    apart = lambda a: a.reshape(c["batch"], tokens, heads, width).transpose(0, 2, 1, 3)
    together = lambda a: a.transpose(0, 2, 1, 3).reshape(c["batch"] * tokens, c["width"])
    root = np.sqrt(q.value.dtype.type(width))
    scores = apart(q.value) @ apart(k.value).swapaxes(2, 3) / root
    seen = np.tril(np.ones((tokens, tokens), bool)) if c["causal"] and own else np.ones((tokens, tokens), bool)
    if own:
        notes["max_logit"].append(np.abs(scores[..., seen]).max())
    weights = np.where(seen, np.exp(scores - np.where(seen, scores, -np.inf).max(3, keepdims=True)), 0)
    weights = weights / weights.sum(3, keepdims=True)
    if own:
        logs = np.log(np.where(weights > 0, weights, 1))
        notes["attention_entropy"].append(-(weights * logs).sum(3).mean() / np.log(scores.dtype.type(tokens)))

    def at_scores(g):
        at_weights = apart(g) @ apart(centre(c, v.value)).swapaxes(2, 3)
        at_weights = at_weights - np.take_along_axis(at_weights, weights.argmax(3)[..., None], 3)
        return weights * (at_weights - (weights * at_weights).sum(3, keepdims=True)) / root

    mixed = Node(
        together(weights @ apart(v.value)),
        (q, lambda g: together(at_scores(g) @ apart(centre(c, k.value)))),
        (k, lambda g: together(at_scores(g).swapaxes(2, 3) @ apart(q.value))),
        (v, lambda g: together(weights.swapaxes(2, 3) @ apart(g))),
    )
    return linear(mixed, w[o_name]) if o_name in w else mixed


def feed_forward(c, x, w):
    h = linear(x, w["w1"])
    if c["act"] == "swiglu":
        z = linear(x, w["wg"])
        s = 1 / (1 + np.exp(-z.value))
        a = product(through(z, z.value * s, s + z.value * s * (1 - s)), h)
    elif c["act"] == "gelu":
        z, u = h.value, math.sqrt(2 / math.pi)
        t = np.tanh(u * (z + 0.044715 * z**3))
        a = through(h, z * (1 + t) / 2, (1 + t) / 2 + z / 2 * (1 - t * t) * u * (1 + 3 * 0.044715 * z * z))
    else:
        a = through(h, np.maximum(h.value, 0), h.value > 0)
    return linear(a, w["w2"])


def run(c, kind=np.float64, omega=None):
    """Runs both passes; what was noted on the way."""
    Node.tape = []
    rows, d, depth, seed, place = c["batch"] * c["tokens"], c["width"], c["depth"], c["seed"], c["placement"]
    kinds = ["self", "cross", "ffn"] if c["cross"] else ["self", "ffn"]
    total = depth * len(kinds)
    blocks = draw_layer(c, len(kinds), kind)
    unembed = Node((normals((d, c["vocab"]), 2, EVERYWHERE, seed) / math.sqrt(d)).astype(kind))
    targets = words(rows, 1, EVERYWHERE, seed) % np.uint32(c["vocab"])
    x = Node(normals((rows, d), 0, EVERYWHERE, seed).astype(kind))
    shared = normals((c["batch"], d), 3, EVERYWHERE, seed) * math.sqrt(c["memory_cos"])
    memory = shared.repeat(c["tokens"], 0) + normals((rows, d), 4, EVERYWHERE, seed) * math.sqrt(1 - c["memory_cos"])
    memory = Node(norm(Node(memory.astype(kind)), "layernorm")[0].value)
    if place == "admin" and omega is None:
        spreads = [f.value.var() for f in run({**c, "placement": "post"}, kind)["added"]]
        omega = [math.sqrt(1 + sum(spreads[:k])) for k in range(total)]
        return run(c, kind, omega)
    normed = lambda a: norm(a, c["norm"])
    notes = {name: [] for name in ("max_logit", "attention_entropy", "norm_jacobian", "added", "before", "blocks")}
    if place == "peri":
        x = normed(x)[0]
    second = x
    for k in range(total):
        block, which = divmod(k, len(kinds))
        style = place
        if place == "mixln":
            style = "post" if block < round(depth / 4) else "pre"
        if which == 0:
            entered = x
            notes["blocks"].append(x)
        notes["before"].append(x)
        after_sum = style in ("post", "deepnorm", "residual", "b2t", "admin") or (style == "keel" and k > 0)
        ahead = style in ("pre", "sandwich", "peri", "lns", "keel")
        met, read = [0], x
        if ahead:
            read, met = normed(x)
        if style == "lns":
            read = times(read, kind(1) / np.sqrt(kind(block + 1)))
        w = blocks[block]
        if kinds[which] == "ffn":
            f = feed_forward(c, read, w)
        elif kinds[which] == "self":
            f = attention(c, read, read, w, ("wq", "wk", "wv", "wo"), notes)
        else:
            f = attention(c, read, memory, w, ("cq", "ck", "cv", "co"), notes)
        if style in ("sandwich", "peri", "olmo2"):
            f = normed(f)[0]
        notes["added"].append(f)
        skip = 1
        if style == "deepnorm":
            skip = (2 * depth) ** 0.25
        elif style == "admin":
            skip = omega[k]
        elif style == "keel" and k > 1:
            skip = total
        terms = [times(x, skip) if skip != 1 else x, f]
        if style == "b2t" and which == len(kinds) - 1:
            terms.append(entered)
        if style == "residual":
            second = add(second, f)
        x = add(*terms)
        if after_sum:
            x, met = normed(x)
        notes["norm_jacobian"].append(np.mean(met))
    notes["before"].append(x)
    notes["blocks"].append(x)
    out = x
    if place == "residual":
        out = add(x, normed(second)[0])
    elif c["final_norm"] == "on" or (
        c["final_norm"] == "auto" and place not in ("post", "deepnorm", "b2t", "admin", "keel")
    ):
        out = normed(x)[0]
    logits = linear(out, unembed)
    shifted = logits.value - logits.value.max(1, keepdims=True)
    chances = np.exp(shifted) / np.exp(shifted).sum(1, keepdims=True)
    right = np.eye(c["vocab"])[targets]
    loss = Node(-np.log((chances * right).sum(1)).mean(), (logits, lambda g: g * (chances - right) / rows))
    backward(loss)
    return notes | {"weights": blocks}


# ---- statistics ---------------------------------------------------------------------------------
def length(a):
    return np.sqrt((a * a).sum())


def cosine(c, a):
    total = 0
    for rows in a.reshape(c["batch"], c["tokens"], -1):
        unit = [row / length(row) for row in rows]
        for i, one in enumerate(unit):
            total = total + sum(one @ other for j, other in enumerate(unit) if j != i)
    return total / (c["batch"] * c["tokens"] * (c["tokens"] - 1))


def statistics(query, kind=np.float64):
    c = dict(DEFAULTS)
    for key, value in parse_qsl(query):
        c[key] = type(DEFAULTS[key])(value)
    notes = run(c, kind)
    sizes = [length(node.grad) for node in notes["before"]]
    found = dict(
        grad_cosine=[cosine(c, node.grad) for node in notes["blocks"]],
        rank_residual=[length(centre(c, node.value)) / length(node.value) for node in notes["blocks"]],
        attention_entropy=notes["attention_entropy"],
        max_logit=notes["max_logit"],
        net_factor=[(before / after) ** 2 for before, after in zip(sizes, sizes[1:])],
        norm_jacobian=notes["norm_jacobian"],
        **{f"grad_weight.{n}": [length(w[n].grad) for w in notes["weights"]] for n in ("wq", "wk")},
    )
    if c["attention"] == "uniform":
        del found["attention_entropy"], found["max_logit"]
    if c["placement"] in ("none", "olmo2"):
        del found["norm_jacobian"]
    return found


def write(folder, query, values):
    name = query.replace("placement=", "").replace("&", ",").replace("=", "-")
    path = FOLDER / folder / f"{name}.json"
    path.write_text(json.dumps({"query": query} | values) + "\n")
    print(path)


def nested(values):
    out = {}
    for name, series in values.items():
        *outer, last = name.split(".")
        inner = out
        for key in outer:
            inner = inner.setdefault(key, {})
        inner[last] = series
    return out


if __name__ == "__main__":
    for query in RUNS:
        found = statistics(query)
        write("more", query, nested({n: [float(v) for v in s] for n, s in found.items() if "." not in n}))
    for query, names in COLLAPSED.items():
        found = statistics(query, np.longdouble)
        kept = {n: [float(f"{float(v):.8g}") for v in found[n]] for n in names}
        write("extended" if "grad_weight.wq" in names else "more", query, nested(kept))

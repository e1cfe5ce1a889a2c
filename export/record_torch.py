"""Records from your own PyTorch model what Normscope draws, as a table that the page takes in beside its own curves.

    from record_torch import record, write_csv

    rows = record(model, model.transformer.h, lambda: loss_of(model, batch),
                  weights={"w2": "mlp.c_proj.weight"}, name="my model")
    write_csv("my-model.csv", rows)

`stream_rms` is the root mean square over all entries of the stream, `grad_stream` the Frobenius norm of the loss's
gradient at it, `grad_weight.NAME` that of the gradient at one matrix of each block. For gradients of the page's size the
loss is a mean over all positions. State 0 enters the first block, state l leaves block l. The blocks have to run in their
order, once each, and hand the stream on as their first argument and as what they return, or the first of that.
"""
import csv

import torch


def stream_of(value):
    """The stream in what a module takes or returns: a tensor, or the first of a tuple or a list."""
    return value if isinstance(value, torch.Tensor) else value[0]


def frobenius(x):
    return torch.linalg.vector_norm(x.detach(), dtype=torch.float64).item()


def record(model, blocks, loss_fn, weights=None, name="recorded", seed=0):
    """Calls `loss_fn()` once, which runs the model and returns the loss, and goes backward from it.

    `weights` maps the names of the page (w2, w1, wg, wo, wv, wk, wq, co, cv, ck, cq) to the end of a parameter's name
    within a block; of each block it has to fit one. Returns the rows of the table. Gradients of parameters are cleared
    before and after.
    """
    blocks = list(blocks)
    rms, grads, hooks = {}, {}, []

    def note(state, stream):
        if state in rms:
            raise RuntimeError("a block ran twice: record one pass of the model, without checkpointing")
        rms[state] = frobenius(stream) / stream.numel() ** 0.5
        stream.register_hook(lambda grad: grads.__setitem__(state, frobenius(grad)))

    def before_first(_, args, kwargs):
        if not args:
            raise TypeError("the first block gets the stream by keyword; it has to be its first argument")
        # An input that nothing trains has a gradient only where it is asked for.
        stream = args[0] if args[0].requires_grad else args[0].detach().requires_grad_()
        note(0, stream)
        return (stream, *args[1:]), kwargs

    hooks.append(blocks[0].register_forward_pre_hook(before_first, with_kwargs=True))
    for state, block in enumerate(blocks, 1):
        hooks.append(block.register_forward_hook(lambda _, args, out, state=state: note(state, stream_of(out))))
    try:
        model.zero_grad(set_to_none=True)
        loss = loss_fn()
        loss.backward()
        rows = [("loss", 0, loss.item())]
        rows += [("stream_rms", state, rms[state]) for state in range(len(blocks) + 1)]
        rows += [("grad_stream", state, grads[state]) for state in range(len(blocks) + 1)]
        for matrix, ending in (weights or {}).items():
            for number, block in enumerate(blocks, 1):
                found = [p for path, p in block.named_parameters() if f".{path}".endswith(f".{ending}")]
                if len(found) != 1:
                    raise ValueError(f"{len(found)} parameters of block {number} end in {ending}; it has to be one")
                rows.append((f"grad_weight.{matrix}", number, frobenius(found[0].grad)))
    finally:
        for hook in hooks:
            hook.remove()
        model.zero_grad(set_to_none=True)
    return [(name, len(blocks), seed, *row) for row in rows]


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["model", "depth", "seed", "statistic", "block", "value"])
        table.writerows((*row[:-1], repr(float(row[-1]))) for row in rows)

#!/usr/bin/env python3
"""The exported scripts against the golden runs of tests/golden.

    python export/test_scripts.py            a selection that has every placement and every option
    python export/test_scripts.py --all      every golden run (minutes)

What the libraries of a script are missing for is skipped, and said.
"""
import contextlib
import csv
import importlib.util
import io
import json
import math
import os
import pathlib
import re
import sys
import tempfile
import unittest
from unittest import mock

ALL = "--all" in sys.argv
# Compiling takes far longer than such small runs: half as long with these.
os.environ |= {"JAX_PLATFORMS": "cpu", "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
               "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false"}
HERE = pathlib.Path(__file__).parent
GOLDEN = HERE.parent / "tests" / "golden"
SCRIPTS = {"jax": "normscope_jax", "torch": "normscope_torch"}
# With those of `more`, which are small and have the further statistics, these have every value of every key but the
# sizes.
SELECTION = [
    "placement=olmo2&depth=48&qk_norm=head", "placement=deepnorm&depth=6", "placement=sandwich&depth=6",
    "placement=pre&depth=12&init=normal-0.02&residual_scale=gpt2&act=gelu&causal=1",
    "placement=pre&depth=12&residual_scale=zero", "placement=post&depth=12&final_norm=on",
    "placement=post&depth=7&width=96&heads=3&tokens=33&batch=3&ffn=1&seed=4294967295",
]
# Rounding noise alone, which the tests of the page's own engines take from runs in 80 bits.
COLLAPSED = "placement=post&depth=120&width=16&heads=2&tokens=6"


def load(name):
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(module, *arguments):
    """The rows of what a script prints, as dictionaries."""
    out = io.StringIO()
    with mock.patch.object(sys, "argv", ["script", *arguments]), contextlib.redirect_stdout(out):
        module.main()
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def by_statistic(rows):
    """Values by the names of their statistics, in the order of the blocks, which have to be there from the first on."""
    table = {}
    for row in rows:
        table.setdefault(row["statistic"], {})[int(row["block"])] = float(row["value"])
    for name, values in table.items():
        assert sorted(values) == list(range(min(values), max(values) + 1)) and min(values) in (0, 1), name
    return {name: [values[block] for block in sorted(values)] for name, values in table.items()}


def flat(run_of_json, depth):
    """A run of a golden file by the names of CSV, with one value a block where it has one a sublayer."""
    number = lambda value: float(value) if isinstance(value, str) else value
    table = {}
    for name, value in run_of_json.items():
        if name == "grad_weight":
            table |= {f"{name}.{matrix}": list(map(number, values)) for matrix, values in value.items()}
        elif name not in ("query", "config", "f32", "model_update"):
            table[name] = list(map(number, value)) if isinstance(value, list) else [number(value)]
    for name, of in (("update_ratio", "mean"), ("norm_jacobian", "mean"), ("net_factor", "product")):
        if name in table:
            per_block = len(table[name]) // depth
            blocks = [table[name][i * per_block:(i + 1) * per_block] for i in range(depth)]
            table[name] = [math.prod(block) if of == "product" else math.fsum(block) / per_block for block in blocks]
    return table


def golden(folder):
    return {file["query"]: file for file in (json.loads(p.read_text()) for p in sorted(folder.glob("*.json")))}


def difference(values, wanted):
    """The largest relative error; what should be zero counts as it is."""
    return max(abs(value - want) / (abs(want) or 1) for value, want in zip(values, wanted, strict=True))


class Golden:
    """What every script has to do; a subclass names the library."""

    @classmethod
    def setUpClass(cls):
        try:
            cls.script = load(SCRIPTS[cls.library])
        except ModuleNotFoundError as missing:
            raise unittest.SkipTest(str(missing)) from missing
        cls.errors = {}

    @classmethod
    def tearDownClass(cls):
        for query, errors in cls.errors.items():
            worst = max(errors, key=errors.get)
            print(f"{cls.library}: {query}: {errors[worst]:.1e} at {worst}" + (f" {errors}" if ALL else ""))

    def compare(self, query, wanted, bounds):
        got = by_statistic(run(self.script, query))
        self.assertLessEqual(wanted.keys(), got.keys())
        for name, want in wanted.items():
            self.assertEqual(len(got[name]), len(want), name)
            for block, (value, right, bound) in enumerate(zip(got[name], want, bounds(name, want))):
                error = abs(value - right)
                self.assertTrue(error <= bound, f"{query}: {name}, value {block}: {value}, should be {right} +- {bound:.1e}")
        self.errors[query] = {name: difference(got[name], want) for name, want in wanted.items()}

    def test_golden_runs(self):
        """The float64 bound of tests/common: 1e-9 and 1e-7 of what float32 loses within three entries."""
        files = golden(GOLDEN)
        self.assertLessEqual(set(SELECTION), files.keys())
        for query in files if ALL else SELECTION:
            depth = files[query]["config"]["depth"]
            wanted, single = flat(files[query], depth), flat(files[query]["f32"], depth)

            def bounds(name, want):
                if name in ("grad_weight.cq", "grad_weight.ck") and files[query]["config"]["memory_cos"] == 1:
                    return [64 * sys.float_info.epsilon * max(wanted["grad_weight.cv"])] * len(want)
                lost = [abs(a - b) if math.isfinite(a) else math.inf for a, b in zip(single[name], want)]
                return [1e-9 * abs(x) + 1e-7 * max(lost[max(i - 3, 0):i + 4]) for i, x in enumerate(want)]

            with self.subTest(query):
                self.compare(query, wanted, bounds)

    def test_further_statistics(self):
        for query, file in golden(GOLDEN / "more").items():
            if query != COLLAPSED:
                depth = int(re.search("depth=([0-9]+)", query)[1])
                with self.subTest(query):
                    self.compare(query, flat(file, depth), lambda name, want: [1e-9 * abs(x) for x in want])

    def test_float32(self):
        query = "placement=pre&depth=6"
        wanted, got = flat(golden(GOLDEN)[query], 6), by_statistic(run(self.script, query, "--float32"))
        for name in wanted:
            error = difference(got[name], wanted[name])
            self.assertLess(error, 2e-3 if name != "token_cosine" else 2e-2, name)
        # It did not compute in float64.
        self.assertGreater(difference(got["grad_stream"], wanted["grad_stream"]), 1e-9)

    def test_several_models_and_seeds(self):
        small = "depth=2&width=16&tokens=4&vocab=8&heads=3"
        with contextlib.redirect_stderr(io.StringIO()) as told:
            rows = run(self.script, f"?view=atlas&placement=post,none&{small}&act=gelu&seed=4294967295&seeds=2")
        self.assertIn("heads", told.getvalue())
        self.assertEqual({(row["model"], row["depth"], row["seed"]) for row in rows}, {
            (f"placement={placement}&width=16&tokens=4&vocab=8&act=gelu", "2", seed)
            for placement in ("post", "none") for seed in ("4294967295", "0")})
        self.assertEqual(set(rows[0]), {"model", "depth", "seed", "statistic", "block", "value"})
        losses = [row["value"] for row in rows if row["statistic"] == "loss"]
        self.assertEqual(len(set(losses)), 4)

    def test_a_model_is_named_as_in_a_link(self):
        for query, name in (("", "placement=pre"), ("depth=24&seed=3&width=64", "placement=pre"),
                            ("?memory_cos=0.00001&cross=1", "placement=pre&cross=1&memory_cos=0.00001"),
                            ("memory_cos=0&placement=lns%2Clns", "placement=lns&memory_cos=0")):
            self.assertEqual([run.label for run in self.script.parse(query)], [name])

    def test_models_that_are_kept(self):
        small = "width=16&tokens=4&vocab=8&heads=2"
        text = small.replace("&", ";").replace("=", ":")
        rows = run(self.script, f"placement=post,pre&depth=2&{small}&seeds=2&pin=pre;depth:2;{text}~post;depth:3;seed:7;{text}")
        label = "&".join(["width=16", "heads=2", "tokens=4", "vocab=8"])
        self.assertEqual({(row["model"], row["depth"], row["seed"]) for row in rows}, {
            (f"placement={placement}&{label}", depth, seed) for placement, depth, seeds in
            (("post", "2", "01"), ("pre", "2", "01"), ("post", "3", "78")) for seed in seeds})
        of_pre = [row for row in rows if row["model"].startswith("placement=pre") and row["statistic"] == "loss"]
        self.assertEqual(len(of_pre), 2, "what is shown and kept runs once")
        alone = run(self.script, f"placement=post&depth=3&seed=8&{small}")
        self.assertEqual([row for row in rows if row["seed"] == "8"], alone)

    def test_what_it_does_not_know_ends_it(self):
        for bad in ("pin=post;rope:1", "placement=post,other", "norm=batchnorm", "depth=201", "depth=x", "depth=", "memory_cos=1.1", "rope=1"):
            with self.subTest(bad), self.assertRaisesRegex(SystemExit, re.escape(bad.split(";")[-1].replace(":", "="))):
                run(self.script, bad)


class Jax(Golden, unittest.TestCase):
    library = "jax"


class Torch(Golden, unittest.TestCase):
    library = "torch"


class Record(unittest.TestCase):
    """record_torch.py on a Pre-LN model of torch.nn that has the draws of a run: the table is that of the run."""

    @classmethod
    def setUpClass(cls):
        try:
            cls.recorder, cls.script = load("record_torch"), load(SCRIPTS["torch"])
        except ModuleNotFoundError as missing:
            raise unittest.SkipTest(str(missing)) from missing

    def model(self, run, drawn):
        """Blocks of torch.nn, and a function from the input to the loss."""
        import torch
        from torch import nn

        def module(kind, *sizes, **weights):
            made = kind(*sizes, bias=False, dtype=torch.float64)
            for name, weight in weights.items():
                getattr(made, name).data = torch.tensor(weight.T.copy())
            return made

        class Block(nn.Module):
            def __init__(self, w):
                super().__init__()
                d, h = w["w1"].shape
                self.norms = nn.ModuleList(nn.LayerNorm(d, dtype=torch.float64) for _ in range(2))
                self.attention = nn.MultiheadAttention(d, run.heads, bias=False, batch_first=True, dtype=torch.float64)
                self.attention.in_proj_weight.data = torch.cat([torch.tensor(w[name].T) for name in ("wq", "wk", "wv")])
                self.attention.out_proj.weight.data = torch.tensor(w["wo"].T.copy())
                self.fc1, self.fc2 = module(nn.Linear, d, h, weight=w["w1"]), module(nn.Linear, h, d, weight=w["w2"])

            def forward(self, x):
                y = self.norms[0](x)
                x = x + self.attention(y, y, y, need_weights=False)[0]
                return (x + self.fc2(torch.relu(self.fc1(self.norms[1](x)))), "more")

        blocks = nn.ModuleList(
            Block({name: of_blocks[l] for name, of_blocks in drawn.weights.items()}) for l in range(run.depth))
        unembed = module(nn.Linear, run.width, run.vocab, weight=drawn.unembedding)

        def loss():
            x = torch.tensor(drawn.x0)
            for block in blocks:
                x, _ = block(x)
            x = nn.functional.layer_norm(x, x.shape[-1:])
            return nn.functional.cross_entropy(unembed(x).flatten(0, 1), torch.tensor(drawn.targets).flatten())

        return blocks, loss

    def test_against_a_golden_run(self):
        query = "placement=pre&depth=6"
        [settings] = self.script.parse(query)
        blocks, loss = self.model(settings, self.script.draw(settings, 0))
        names = {"w1": "fc1.weight", "w2": "fc2.weight", "wo": "attention.out_proj.weight"}
        rows = self.recorder.record(blocks, blocks, loss, names, name="mine, too", seed=3)
        self.assertTrue(all(parameter.grad is None for parameter in blocks.parameters()))
        with tempfile.TemporaryDirectory() as folder:
            self.recorder.write_csv(f"{folder}/mine.csv", rows)
            with open(f"{folder}/mine.csv", encoding="utf-8") as file:
                read = list(csv.DictReader(file))
        self.assertEqual({(row["model"], row["depth"], row["seed"]) for row in read}, {("mine, too", "6", "3")})
        got, wanted = by_statistic(read), flat(golden(GOLDEN)[query], 6)
        self.assertEqual(set(got), {"loss", "stream_rms", "grad_stream", *(f"grad_weight.{name}" for name in names)})
        for name, values in got.items():
            self.assertLess(difference(values, wanted[name]), 1e-12, name)

    def test_what_it_cannot_record(self):
        [settings] = self.script.parse("placement=pre&depth=2&width=16&tokens=4")
        blocks, loss = self.model(settings, self.script.draw(settings, 0))
        with self.assertRaisesRegex(ValueError, "5 parameters of block 1 end in weight"):
            self.recorder.record(blocks, list(blocks)[:1], loss, {"w2": "weight"})
        with self.assertRaisesRegex(RuntimeError, "ran twice"):
            self.recorder.record(blocks, blocks, lambda: loss() + loss())
        self.assertEqual([len(block._forward_hooks) for block in blocks], [0, 0])


class Text(unittest.TestCase):
    """What can be said of the scripts without running them."""

    def test_one_line_has_the_query(self):
        for name in SCRIPTS.values():
            lines = (HERE / f"{name}.py").read_text().splitlines()
            self.assertEqual(sum(line.startswith("QUERY = ") for line in lines), 1, name)
            self.assertEqual(sum(line.startswith("# Link: ") for line in lines), 1, name)

    def test_what_scripts_have_in_common_is_the_same(self):
        parts = [(HERE / f"{name}.py").read_text().split("\n# ---- ") for name in SCRIPTS.values()]
        self.assertEqual([len(part) for part in parts], [3, 3])
        self.assertEqual(parts[0][1], parts[1][1])

    def test_the_bibliography_has_all_that_is_cited(self):
        bibliography = (HERE / "normscope.bib").read_text()
        plain = bibliography.replace("{", "").replace("}", "")
        sources = HERE.parent / "src"
        titles = re.findall(r'= "([^"]+)",\s*"[^"]+",\s*[0-9]{4},', (sources / "claims" / "source.rs").read_text())
        numbers = {number for file in ("presets.rs", "theory/source.rs", "claims/source.rs")
                   for number in re.findall("[0-9]{4}[.][0-9]{5}", (sources / file).read_text())}
        self.assertGreater(len(titles), 30)
        self.assertEqual([title for title in titles if f"title = {title}" not in plain], [])
        self.assertEqual([number for number in numbers if f"eprint = {number}" not in plain], [])
        keys = re.findall("@[a-z]+{(.+),", bibliography)
        self.assertEqual(len(keys), len(set(keys)))
        self.assertEqual(bibliography.count("{"), bibliography.count("}"))

    def test_every_word_of_a_model_is_known(self):
        model = HERE.parent / "src" / "model"
        words = [word for file in ("config.rs", "placement.rs", "init.rs")
                 for word in re.findall(r'^ +\w+ = "(.+)",$', (model / file).read_text(), re.MULTILINE)]
        self.assertGreater(len(words), 30)
        text = (HERE / "normscope_jax.py").read_text()
        known = re.findall("[a-z0-9.-]+", text[text.index("PLACEMENTS = "):text.index("PAGE_ONLY = ")])
        self.assertEqual(set(words) - set(known), set())

    def test_every_key_of_a_link_is_known(self):
        keys = (HERE.parent / "src" / "share" / "keys.rs").read_text()
        names = set(re.findall(r'_key!\(\s*"(\w+)"', keys)) | set(re.findall(r'name: "(\w+)"', keys))
        self.assertGreater(len(names), 40)
        text = (HERE / "normscope_jax.py").read_text()
        known = set(re.findall(r"[a-z_]+", text[text.index("INTEGERS = "):text.index("def parse")])) | {"placement", "pin"}
        # What a preset says is written out in the links of the page; alone it ends a script with an error.
        self.assertEqual(names - known, {"preset"})


if __name__ == "__main__":
    unittest.main(argv=[arg for arg in sys.argv if arg != "--all"])

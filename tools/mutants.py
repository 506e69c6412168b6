"""Small wrong changes of the engine, and whether the tests notice them.

``python -m tools.mutants --count 300 --out FILE TESTS…`` chooses mutants, applies one at a time in
a copy of the tree, runs the tests, and writes a line of JSON for each: killed, survived or absent,
and the arguments of pytest that killed it. Each of TESTS is a run of pytest; the first failure ends
the mutant. An existing FILE is continued. ``--like FILE`` takes the mutants of another run, such as
of a newer tree: they are identified by function, line and change, in any module, and the tests that
killed them run first.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path
from random import Random
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in"}
COMPARED |= {"not in": "in", "is": "is not", "is not": "is"}
COMPUTED = {"+": "-", "-": "+", "*": "+", "//": "*", "%": "+", "<<": ">>", ">>": "<<"}
COMPUTED |= {"&": "|", "|": "&", "^": "&"}
JOINED = {"and": "or", "or": "and"}


class Mutant(NamedTuple):
    """One change; the first three fields identify it in every version."""

    function: str
    line: str
    change: str
    """Such as ``1: < becomes <=``, with the number of the change in the line."""
    path: Path
    start: int
    end: int
    text: str


def find_changes(source: bytes) -> Iterator[tuple[str, int, int, str]]:
    """Yield a function's qualified name, and the bytes that another text replaces."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def swap(
        left: ast.expr, right: ast.expr, swapped: dict[str, str]
    ) -> Iterator[tuple[int, int, str]]:
        start = starts[(left.end_lineno or 1) - 1] + (left.end_col_offset or 0)
        between = source[start : starts[right.lineno - 1] + right.col_offset].decode()
        between = re.sub(r"#.*", lambda comment: " " * len(comment[0]), between)
        operator = re.search(r"not\s+in|is\s+not|\w+|[-+*/%<>=!&|^]+", between)
        if operator and (new := swapped.get(" ".join(operator[0].split()))):
            yield start + operator.start(), start + operator.end(), new

    def visit(node: ast.AST, name: str) -> Iterator[tuple[str, int, int, str]]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{name}.{node.name}".lstrip(".")
        edits: list[tuple[int, int, str]] = []
        if isinstance(node, ast.Constant) and type(node.value) is int:
            start = starts[node.lineno - 1] + node.col_offset
            length = (node.end_col_offset or 0) - node.col_offset
            edits = [(start, start + length, str(node.value + by)) for by in (1, -1)]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            start = starts[node.lineno - 1] + node.col_offset
            edits = [(start, start + len("not"), "")]
        elif isinstance(node, ast.Compare):
            edits = [*swap(node.left, node.comparators[0], COMPARED)]
        elif isinstance(node, ast.BinOp) and (name or not isinstance(node.op, ast.BitOr)):
            edits = [*swap(node.left, node.right, COMPUTED)]
        elif isinstance(node, ast.BoolOp):
            edits = [*swap(node.values[0], node.values[1], JOINED)]
        yield from ((name, *edit) for edit in edits)
        for field, value in ast.iter_fields(node):
            if field not in ("annotation", "returns", "decorator_list"):
                for child in value if isinstance(value, list) else [value]:
                    # Python 3.11 places the parts of an f-string wrongly
                    if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                        yield from visit(child, name)

    yield from visit(ast.parse(source), "")


def list_mutants(root: Path, folder: str) -> list[Mutant]:
    """Return the mutants of a folder, only the first of equal ones."""
    found: dict[tuple[str, str, str], Mutant] = {}
    for path in sorted((root / folder).rglob("*.py")):
        source, counts = path.read_bytes(), dict[int, int]()
        for name, start, end, text in find_changes(source):
            line_start = source.rfind(b"\n", 0, start) + 1
            counts[line_start] = counts.get(line_start, 0) + 1
            line = source[line_start:].partition(b"\n")[0].decode().strip()
            change = f"{counts[line_start]}: {source[start:end].decode()} becomes {text}"
            mutant = Mutant(name, line, change, path.relative_to(root), start, end, text)
            found.setdefault(mutant[:3], mutant)
    return list(found.values())


def find_killer(tree: Path, tests: list[str], limit: int) -> str | None:
    """Return the file of the first test that fails, or takes too long; None if all pass.

    The limit is in seconds of CPU, for each of the tests: the machine may have other work.
    """
    command = ["prlimit", f"--cpu={limit}", sys.executable, "-m", "pytest"]
    command += ["-x", "-q", "-n0", "-p", "no:cacheprovider"]
    for test in tests:
        done = subprocess.run([*command, test], cwd=tree, capture_output=True, text=True)
        if done.returncode:
            failed = re.search(r"^(?:FAILED|ERROR) ([^\s:]+)", done.stdout, re.MULTILINE)
            return failed[1] if failed else test
    return None


def main() -> None:
    """Choose mutants, or take known ones, and print the number killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tests", nargs="+", help="what pytest runs, one after another")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree whose tests are run")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=600, help="seconds of CPU for each of TESTS")
    parser.add_argument("--like", type=Path, help="take the mutants of these results")
    parser.add_argument("--out", type=Path, required=True, help="the results, a line each")
    arguments = parser.parse_args()

    known = {x[:3]: x for x in list_mutants(arguments.root, "ptxscope")}
    if arguments.like:
        lines = arguments.like.read_text("utf-8").splitlines()
        found_before = {tuple(found[:3]): found[4] for found in map(json.loads, lines)}
    else:
        candidates = [x[:3] for x in list_mutants(arguments.root, "ptxscope/engine")]
        sample = Random(arguments.seed).sample(candidates, arguments.count)
        found_before = dict.fromkeys(sample)
    old = arguments.out.read_text("utf-8").splitlines() if arguments.out.exists() else []
    outcomes = {tuple(found[:3]): found[3] for found in map(json.loads, old)}
    with tempfile.TemporaryDirectory() as folder, arguments.out.open("a", encoding="utf-8") as out:
        tree = Path(folder) / "tree"
        ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "_build")
        shutil.copytree(arguments.root, tree, ignore=ignored)
        if killer := find_killer(tree, arguments.tests, arguments.limit):
            sys.exit(f"{killer} fails without any mutant, or takes too long")
        for key, killer_before in found_before.items():
            if key in outcomes:
                continue
            outcomes[key], killer = "absent", None
            if mutant := known.get(key):
                path = tree / mutant.path
                source = path.read_bytes()
                path.write_bytes(
                    source[: mutant.start] + mutant.text.encode() + source[mutant.end :]
                )
                Path(cache_from_source(str(path))).unlink(missing_ok=True)
                has_file = killer_before and (tree / killer_before).exists()
                tests = [killer_before, *arguments.tests] if has_file else arguments.tests
                killer = find_killer(tree, tests, arguments.limit)
                outcomes[key] = "killed" if killer else "survived"
                path.write_bytes(source)
                Path(cache_from_source(str(path))).unlink(missing_ok=True)
            print(json.dumps([*key, outcomes[key], killer]), file=out, flush=True)
            print(f"{outcomes[key]:8}  {key[0]}: {key[2]}  in  {key[1]}", flush=True)
    found = [outcomes[key] for key in found_before]
    print(*(f"{found.count(x)} {x}" for x in ("killed", "survived", "absent")), sep=", ")


if __name__ == "__main__":
    main()

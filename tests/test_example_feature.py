"""A package of somebody else adds a feature: `data/example_feature`, installed and used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.driving.feature_tables import needs
from tests.reference_data import DATA
from tests.tiers import ci_only

pytestmark = ci_only

ROOT = Path(__file__).parents[1]
LINE = "vadd4.u32.u32.u32 d, a, b, c"
VALUES = ("a=0x01010101", "b=0x02020202", "c=0")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs Python where the example is installed."""
    folder = tmp_path_factory.mktemp("installed")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    offline = ("--no-deps", "--no-index", "--no-build-isolation")
    subprocess.run([*pip, *offline, "--target", folder, DATA / "example_feature"], check=True)

    def start(*words: str, given: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(map(str, (folder, ROOT)))
        return subprocess.run(
            [sys.executable, *words],
            input=given,
            env={**os.environ, "PYTHONPATH": path, **env},
            capture_output=True,
            text=True,
            check=False,
        )

    return start


def test_the_command_is_run_listed_and_completed(run: Run) -> None:
    done = run("-m", "ptxscope", "ones", LINE, *VALUES)
    assert (done.stdout, done.stderr) == ("d: 8 bits set\n", "")
    helped = run("-m", "ptxscope", "--help").stdout.splitlines()
    names = [line.split()[0] for line in helped if line.startswith("  ")]
    assert names.index("eval") < names.index("ones") < names.index("explain")
    assert "count the ones" in next(x for x in helped if x.split()[:1] == ["ones"])
    mistyped = run("-m", "ptxscope", "onse", "x").stderr
    assert "did you mean `ones`?" in mistyped
    old = run("-m", "ptxscope", "ones", "--count", LINE).stderr
    assert old == "error: --count is no longer an option; write `ones`\n"
    program = (
        "import sys\n"
        "from ptxscope.cli.commands.completion import complete_line\n"
        "complete_line(sys.stdout, lambda status: sys.exit(status))\n"
    )
    for line, word in (("ptxscope on", "ones"), ("ptxscope ones --mo", "--model")):
        variables = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": " ", "COMP_LINE": line}
        done = run("-c", program, COMP_POINT=str(len(line)), **variables)
        assert done.stdout.split() == [word], done.stderr


_EXPLORER = f"""
import asyncio
from tests.driving.explorer import explorer
async def use():
    async with explorer({LINE!r}, {{"a": 0x01010101, "b": 0x02020202, "c": 0}}) as drive:
        await drive.press("f9")
        print(type(drive.app.screen).__name__, "d: 8 bits set" in await drive.text())
        await drive.press("question_mark")
        print(type(drive.app.screen).__name__)
        await drive.press("escape", "escape", "P", "f9")
        print("would reveal the answer" in await drive.text())
asyncio.run(use())
"""


def test_the_key_opens_its_dialog_and_the_menu_there(run: Run) -> None:
    done = run("-c", _EXPLORER)
    assert done.stdout.splitlines() == ["CountsDialog True", "KeyMenu", "True"], done.stderr


_PAGE = """
import json
from ptxscope.features.page.explorer_page import ExplorerPage
page = ExplorerPage("vadd4.u32.u32.u32+d,+a,+b,+c&a=0x01010101&b=0x02020202&c=0x0")
page.format_changes()
print(json.loads(page.handle("ones"))["#panel"])
"""


@needs("page")
def test_the_page_and_its_archive_have_the_panel(run: Run, tmp_path: Path) -> None:
    done = run("-c", _PAGE)
    assert "d: 8 bits set" in done.stdout, done.stderr
    assert run("-m", "ptxscope", "page", "-o", str(tmp_path)).returncode == 0
    (archive,) = tmp_path.glob("*.zip")
    shutil.unpack_archive(archive, tmp_path / "python")
    assert run("-c", _PAGE, PYTHONPATH=str(tmp_path / "python")).stdout == done.stdout
    assert not [*(tmp_path / "python").rglob("terminal")]


@needs("check")
def test_a_listing_has_its_diagnostic(run: Run) -> None:
    listing = ".reg .b32 %r<3>;\npopc.b32 %r1, %r2;\nbrev.b32 %r1, %r2;\n"
    note = "-:2:1: note: `__popc` of CUDA counts the ones, too\n"
    done = run("-m", "ptxscope", "check", "-", given=listing)
    assert note in done.stdout, done.stderr
    assert done.stdout.count("note:") == 1
    done = run("-m", "ptxscope", "check", "--ignore", "ones", "-", given=listing)
    assert "note:" not in done.stdout

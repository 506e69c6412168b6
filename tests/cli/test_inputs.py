"""What is read: UTF-8 with a mark and without, UTF-16, and what is neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptxscope.documents.formats.json_text import format_json
from tests.driving.command_line import Done, run

LINE = "vadd.u32.u32.u32 d, a, b"
ASM = 'asm("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); // ü\n'
TABLE = "name,a,b\nü,1,2\r\nx,3,4\n"
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-mark", "utf-16-be-mark"]
ways = pytest.mark.parametrize("by_name", [True, False])


def encoded(text: str, encoding: str) -> bytes:
    name = encoding.removesuffix("-mark")
    return (("\ufeff" if name != encoding else "") + text).encode(name)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(raw: bytes, by_name: bool, *words: str, status: int = 0) -> Done:
    """Run a command on FILE, or on its bytes as standard input."""
    Path("FILE").write_bytes(raw)
    name, given = ("FILE", b"") if by_name else ("-", raw)
    done = run(*(name if word == "FILE" else word for word in words), given=given)
    assert done.returncode == status, done
    return done


@ways
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_reader_takes_utf_8_and_utf_16(encoding: str, by_name: bool) -> None:
    out = call(encoded(TABLE, encoding), by_name, "eval", LINE, "--csv", "FILE").stdout
    assert out == "name,a,b,d\nü,1,2,0x00000003\nx,3,4,0x00000007\n"
    raw = encoded(ASM, encoding)
    assert "%0 = 0x00000003" in call(raw, by_name, "run", "FILE", "%1=1", "%2=2").stdout
    assert "1:6: ok" in call(raw, by_name, "check", "FILE").stdout
    seen = encoded("a,b,got\n1,2,3\n", encoding)
    out = call(seen, by_name, "explain", LINE, "--observations", "FILE").stdout
    assert "documented" in out


def test_a_binary_file_is_refused() -> None:
    for words in (("run", "FILE"), ("check", "FILE"), ("eval", LINE, "--csv", "FILE")):
        assert "FILE is not a text file" in call(b"\x7fELF\0\0", True, *words, status=2).stderr


@ways
@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"name,a,b\nx,1,2\ny,1,\xff2\n", "line 3, column b: the byte 0xff"),
        (b"name,a,b\n\xe9t\xe9,1,2\n", "line 2, column name: the byte 0xe9"),
        (b"a,b,\xe9\n1,2,3\n", "line 1, column 3: the byte 0xe9"),
        (b"a,b\n1,2,\xe9\n", "line 2, column 3: the byte 0xe9"),
        (b'name,a,b\n"x\ny",1,\xc3\n', "line 3, column b: the byte 0xc3"),
        (b"\xff\xfe" + "a,b\n1,".encode("utf-16-le") + b"\x00\xd8,\x00", "line 2, column b"),
        (b"\xff\xfe" + "a,b\n1,2".encode("utf-16-le") + b"\x33", "line 2, column b"),
    ],
)
def test_invalid_bytes_are_reported_by_line_and_column(
    raw: bytes, said: str, by_name: bool
) -> None:
    assert said in call(raw, by_name, "eval", LINE, "--csv", "FILE", status=2).stderr


# --- half a surrogate pair ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\udcff", "\ufffd"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\U0001f600", "\U0001f600"),
        ("\\ud800", "\\ud800"),
        ("\\\ud800\\\\ud800\u0085\x00", "\\\ufffd\\\\ud800\u0085\x00"),
        ("\ud83d\\ude00", "\ufffd\\ude00"),
    ],
)
def test_json_is_ascii_and_unicode(text: str, shown: str) -> None:
    made = format_json({text: [text]})
    assert made.isascii()
    assert json.loads(made) == {shown: [shown]}
    json.loads(made)[shown][0].encode()


@pytest.mark.parametrize("format_", ["text", "json", "sarif"])
def test_a_source_may_hold_half_a_pair(format_: str) -> None:
    # \x escapes of a Python string and the name of a file can make text that is none
    source = b'ptx = """vadd4.u32.u32.u32 d\\ud800, a, b, \\x1b[31m;"""\n'
    Path("\udcff.py").write_bytes(source)
    status, said, _ = run("check", "-f", format_, "\udcff.py")
    assert status == 1
    said.encode()
    assert "\x1b" not in said
    if format_ != "text":
        data = json.loads(said)
        json.dumps(data, ensure_ascii=False).encode()
    if format_ == "sarif":
        (result, *_) = data["runs"][0]["results"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "%FF.py"


def test_a_folder_in_place_of_a_file_is_an_error(tmp_path: Path) -> None:
    done = run("run", str(tmp_path))
    assert done.returncode == 2
    assert f"{tmp_path} is a directory; name its files" in done.stderr

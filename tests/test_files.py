"""Files are written whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ptxscope.files import FileChangedError, replace

needs_posix = pytest.mark.skipif(os.name != "posix", reason="POSIX files")
needs_rights = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="root may do everything"
)


def left(folder: Path) -> list[str]:
    return sorted(x.name for x in folder.iterdir())


def test_a_file_is_made_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x"
    replace(path, b"one\r\n")
    assert path.read_bytes() == b"one\r\n"
    replace(path, b"")
    assert path.read_bytes() == b""
    assert left(tmp_path) == ["x"]


@needs_posix
def test_a_new_file_has_the_mode_the_process_gives_and_an_old_one_keeps_its_own(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x"
    before = os.umask(0o027)
    try:
        replace(path, b"")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o7777 == 0o640
    for mode in (0o600, 0o644, 0o755, 0o666):
        path.chmod(mode)
        replace(path, b"2")
        assert path.stat().st_mode & 0o7777 == mode


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
def test_an_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"1")
    os.chown(path, 1234, 4321)
    replace(path, b"2")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 4321)


@needs_posix
def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    real, link, dangling = tmp_path / "deep" / "real", tmp_path / "link", tmp_path / "dangling"
    real.write_bytes(b"1")
    link.symlink_to("deep/real")
    dangling.symlink_to("deep/made")
    replace(link, b"2")
    replace(dangling, b"3")
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert real.read_bytes() == b"2"
    assert (tmp_path / "deep" / "made").read_bytes() == b"3"
    assert left(tmp_path / "deep") == ["made", "real"]


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"theirs")
    with pytest.raises(FileChangedError, match="changed since it was read"):
        replace(path, b"ours", unless_changed_from=b"before")
    assert path.read_bytes() == b"theirs"
    path.unlink()
    with pytest.raises(OSError, match="x"):
        replace(path, b"ours", unless_changed_from=b"before")
    assert left(tmp_path) == []


@needs_posix
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"before")
    program = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from ptxscope.files import replace\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try: replace(Path(sys.argv[1]), b'x' * 101)\n"
        "except OSError as error: sys.exit(error.errno)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert done.returncode == 27  # EFBIG
    assert path.read_bytes() == b"before"
    assert left(tmp_path) == ["x"]


def test_an_interrupted_write_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x").write_bytes(b"before")

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace(tmp_path / "x", b"after")
    assert (tmp_path / "x").read_bytes() == b"before"
    assert left(tmp_path) == ["x"]


def test_a_path_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as found:
        replace(tmp_path / "no" / "x", b"")
    assert found.value.filename == str(tmp_path / "no" / "x")
    with pytest.raises(IsADirectoryError):
        replace(tmp_path, b"")
    with pytest.raises(OSError, match="name"):
        replace(tmp_path / "a\0b", b"")
    with pytest.raises(OSError, match="long"):
        replace(tmp_path / ("x" * 300), b"")
    replace(tmp_path / ("x" * 250), b"as long as a name may be, nearly")


@needs_rights
def test_a_read_only_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"1")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        replace(path, b"2")
    assert path.read_bytes() == b"1"


@needs_posix
def test_a_fifo_and_a_device_are_written_to(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    data = bytes(range(256)) * 1000  # more than a pipe holds
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()))
    reader.start()
    replace(fifo, data)
    reader.join(30)
    assert read == [data]
    assert fifo.is_fifo()
    replace(Path(os.devnull), data)
    assert not Path(os.devnull).is_file()


@needs_posix
@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout here")
def test_writing_to_dev_stdout_keeps_the_earlier_text(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"before\n")
    program = (
        "from pathlib import Path; from ptxscope.files import replace\n"
        "replace(Path('/dev/stdout'), b'after\\n')\n"
    )
    with log.open("ab") as out:
        subprocess.run([sys.executable, "-c", program], stdout=out, check=True)
    assert log.read_bytes() == b"before\nafter\n"


def test_a_concurrent_reader_sees_the_old_or_the_new_text(tmp_path: Path) -> None:
    path = tmp_path / "x"
    texts = {bytes([65 + n]) * 50_000 for n in range(4)}
    replace(path, min(texts))
    failures: list[BaseException] = []

    def write(text: bytes) -> None:
        try:
            for _ in range(25):
                replace(path, text)
        except BaseException as error:
            failures.append(error)

    writers = [threading.Thread(target=write, args=(text,)) for text in texts]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert path.read_bytes() in texts
    assert not failures
    assert left(tmp_path) == ["x"]

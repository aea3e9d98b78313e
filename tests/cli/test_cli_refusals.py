"""Errors of the command line, and its state after it is stopped: no half-written file, no traceback."""

import itertools
import os
import re
import signal
import subprocess
import sys
import time

import daily
import pytest
from commandline import needs, refused, run
from gonextdoor.cli import main


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            (["walk", "{g}", "-o", "w.doc"], "expected a name that ends in .npy, .npz, .parquet, .txt"),
            (["walk", "{g}", "-o", "none/w.npy"], "there is no folder 'none'"),
            (["walk", "{g}", "--edges"], ".txt files cannot store edge ids; pass -o"),
            (["walk", "{g}", "-o", "w.npy", "--edges"], ".npy files cannot store edge ids"),
            (["walk", "{g}", "-o", "w.npy", "--length", "-1"], "--length"),
            (["walk", "{g}", "-o", "w.npy", "--p", "2"], "--p only applies to --app node2vec (you chose deepwalk)"),
            (
                ["walk", "{g}", "-o", "w.npy", "--app", "ppr", "--stop", "1.5"],
                "--stop: 1.5: expected a probability",
            ),
            (
                ["walk", "{g}", "-o", "w.npy", "--app", "node2vec", "--p", "0"],
                "--p: 0.0: expected a positive number",
            ),
            (
                ["walk", "{g}", "-o", "w.npy", "--app", "walk", "--bias", "size"],
                "--bias: 'size': expected",
            ),
            (
                ["walk", "{g}", "-o", "w.npy", "--app", "jump", "--probability", "2"],
                "--probability: 2: expected",
            ),
            (["walk", "{g}", "-o", "w.npy", "--app", "metapath"], "--app metapath needs --labels"),
            (["walk", "{g}", "-o", "w.npy", "--app", "metapath", "--labels", "a"], "expected whole numbers"),
            (["walk", "{g}", "-o", "w.npy", "--app", "jump", "--computed"], "--computed does not apply to --app jump"),
            (["walk", "{g}", "-o", "w.npy", "--seed", "-1"], "--seed"),
            (["walk", "{g}", "-o", "w.npy", "--threads", "0"], "--threads"),
            (["walk", "{g}", "-o", "w.npy", "--roots", "none.txt"], "--roots: 'none.txt': there is no such file"),
            (["walk", "none.txt", "-o", "w.npy", "--roots", "no"], "--roots: 'no': there is no such file"),
            (["khop", "{g}", "-o", "w.npy", "--fanout", "a"], "expected whole numbers"),
            (["khop", "{g}", "-o", "w.npy", "--fanout", "0"], "--fanout: 0: expected at least 1"),
            (["sample", "{g}", "Nope", "-o", "w.npy"], "expected one of"),
            (["sample", "{g}", "KHop", "-o", "w.npy"], "KHop needs fanouts="),
            (["sample", "{g}", "PPR", "stop", "-o", "w.npy"], "'stop': did you mean stop=VALUE?"),
            (
                ["sample", "{g}", "PPR", "speed=3", "-o", "w.npy"],
                "'speed=3': expected key=value with a key of PPR",
            ),
            (["sample", "{g}", "PPR", "stop=1", "stop=1", "-o", "w.npy"], "given twice"),
            (["sample", "{g}", "KHop", "fanouts=@none.npy", "-o", "w.npy"], "fanouts=@none.npy: No such file"),
            (["sample", "{g}", "KHop", "fanouts=@{g}", "-o", "w.npy"], "Is a directory"),
            (["sample", "{g}", "KHop", "fanouts=@{g}/graph.json", "-o", "w.npy"], "expected one number per line"),
            (["sample", "{g}", "KHop", "fanouts=@{g}/graph.json.npy", "-o", "w.npy"], "No such file"),
            (["sample", "{g}", "KHop", "fanouts=3", "--batch", "0", "-o", "w.npy"], "--batch"),
            (["apps", "nope"], "expected one of"),
            (["convert", "{g}", "g.doc"], "expected a folder (no suffix)"),
            (["generate", "--scale", "99", "-o", "g"], "--scale"),
            (["generate", "--scale", "3", "--weights", "x", "-o", "g"], "expected two numbers"),
            (["generate", "--scale", "3", "--weights", "5,1", "-o", "g"], "the lower first"),
            (["generate", "--scale", "3", "-o", "none/g.csv"], "-o: 'none/g.csv': there is no folder"),
            (["convert", "{g}", "none/g.csv"], "OUT: 'none/g.csv': there is no folder"),
            (["convert", "{g}", "-"], "'-': expected the name of a folder or of a file"),
            (["walk", "", "-o", "w.npy"], "'': expected the name of a file or folder"),
            (["sample", "{g}", "PPR", "stop=1", "weighted=true", "--unweighted", "-o", "w.npy"], "given twice"),
            (["info", "{g}", "--weight", "w", "--unweighted"], "--weight selects a column and --unweighted"),
            (["info", "{g}", "--time", "t", "--no-time"], "--time and --no-time exclude each other"),
            (["info", "{g}", "--source", ""], "expected a column's name or number"),
            (["info", "{g}", "--format", "xml"], "--format"),
            (["bench", "--threads", "0"], "expected numbers of at least 1"),
            (["nope"], "No such command"),
            (["sample", "{g}", "deepwlk", "-o", "w.npy"], "'deepwlk': did you mean DeepWalk?"),
            (["apps", "khops"], "'khops': did you mean KHop?"),
            (["sample", "{g}", "DeepWalk", "walk_length=3", "-o", "w.npy"], "did you mean length=VALUE?"),
            (["sample", "{g}", "DeepWalk", "num_walks=3", "-o", "w.npy"], "use the option --repeat"),
            (["sample", "{g}", "DeepWalk", "lenght=3", "-o", "w.npy"], "length, weighted; did you mean length?"),
            (["walk", "{g}", "-o", "w.npy", "--num-walks", "3"], "Did you mean '--repeat'?"),
            (["walk", "{g}", "-o", "w.npy", "--walk-length=3"], "Did you mean '--length'?"),
            (["walk", "{g}", "-o", "w.npy", "--lenght", "3"], "--length"),
            (["walk", "{g}", "-o", "w.npy", "--roots", "0"], "--roots: 0: expected at least one root"),
            (["walk", "none.txt", "-o", "w.npy", "--device", "gpu"], "--device: 'gpu': expected auto, cpu, cuda"),
            (["explain", "none.txt", "KHop", "fanouts=3", "--device", "gpu"], "--device: 'gpu': expected auto, cpu"),
            (["bench", "none.txt", "--device", "gpu"], "--device: 'gpu': expected auto, cpu"),
            (["demo", "-o", "file"], "'file' is a file"),
        ],
    )
    def test_usage(self, arguments, text, folder, tmp_path, monkeypatch, capsys):
        (tmp_path / "file").touch()
        monkeypatch.chdir(tmp_path)
        assert main([a.format(g=folder / "plain") for a in arguments]) == 2
        assert text in capsys.readouterr().err
        assert os.listdir(tmp_path) == ["file"]

    @pytest.mark.parametrize(
        ("content", "text"),
        [(None, "No such file"), ("", "empty"), ("0 1\n2\n", "line 2"), ("# nothing\n", "no edge")],
    )
    def test_data(self, content, text, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        if content is not None:
            (tmp_path / "in.txt").write_text(content)
        assert main(["walk", "in.txt", "-o", "w.npy"]) == 1
        stderr = capsys.readouterr().err
        assert stderr.startswith("gonextdoor: error: ")
        assert "in.txt" in stderr
        assert text in stderr
        assert stderr.count("\n") == 1
        assert not (tmp_path / "w.npy").exists()

    @pytest.mark.parametrize(("name", "text"), [("r.txt", "text in UTF-8"), ("r.npy", "numpy.save wrote")])
    def test_roots_that_are_no_roots(self, name, text, folder, tmp_path):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00")
        stderr = refused(1, "walk", folder / "plain", "-o", "-", "--roots", tmp_path / name)
        assert f"--roots: {tmp_path / name}: expected" in stderr
        assert text in stderr

    def test_debug_shows_the_traceback(self, tmp_path):
        done = run("walk", "none.txt", "-o", "w.npy", "--debug", cwd=tmp_path)
        assert done.returncode == 1
        assert "Traceback" in done.stderr

    def test_weights_that_are_not_there(self, folder, tmp_path):
        refused(1, "walk", folder / "plain", "-o", tmp_path / "w.npy", "--weighted")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs Linux's /dev/full")
@pytest.mark.parametrize("arguments", [["--help"], ["walk", "{g}", "-o", "-"]])
def test_standard_output_on_a_full_disk(arguments, folder):
    command = [sys.executable, "-m", "gonextdoor", *(a.format(g=folder / "plain") for a in arguments)]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.endswith("gonextdoor: error: standard output: No space left on device\n")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that even root cannot write: Linux's /proc")
def test_unwritable_folder_is_named_by_the_target(folder):
    assert "error: /proc/w.npy: " in refused(1, "walk", folder / "plain", "-o", "/proc/w.npy")


class TestNothingHalfWritten:
    def test_error_keeps_the_file_before(self, folder, tmp_path):
        (tmp_path / "w.txt").write_text("before")
        edges = tmp_path / "e.csv"
        edges.write_text('source,target\n"a b",c\n')
        refused(1, "walk", edges, "-o", tmp_path / "w.txt")
        assert (tmp_path / "w.txt").read_text() == "before"

    @pytest.mark.parametrize("name", ["w.npy", "w.npz", "w.txt", "w.parquet", "w.txt.gz"])
    def test_full_disk(self, name, folder, small_disk):
        if not name.endswith(".npz"):  # samples are written with numpy alone
            needs(name)
        target = small_disk / name
        target.write_bytes(b"before")
        text = refused(1, "walk", folder / "plain", "-o", target, "--repeat", 100, "--length", 100)
        assert "no space left on device" in text.lower()
        assert str(target) in text or name.endswith(".parquet")  # pyarrow has its own words
        assert os.listdir(small_disk) == [name]
        assert target.read_bytes() == b"before"

    def test_full_disk_and_a_folder(self, tmp_path, small_disk):
        text = refused(1, "generate", "--scale", 15, "-o", small_disk / "g")
        assert "no space left on device" in text.lower()
        assert f"{small_disk / 'g'}: " in text
        assert os.listdir(small_disk) == []

    @pytest.mark.parametrize(
        ("sent", "name"),
        daily.share(itertools.product([signal.SIGINT, signal.SIGTERM], ["w.txt.gz", "w.npy"]), 3, "signals"),
    )
    def test_signals(self, sent, name, folder, tmp_path):
        """Stopped while it samples or writes: the target is what it was."""
        (tmp_path / name).write_text("before")
        command = [sys.executable, "-m", "gonextdoor", "walk", str(folder / "plain"), "-o", name, "--repeat", "100000"]
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr.readline().startswith("graph")
            time.sleep(0.5)
            process.send_signal(sent)
            begin = time.monotonic()
            _, stderr = process.communicate(timeout=30)
        assert time.monotonic() - begin < 5
        assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[sent]
        assert "Traceback" not in stderr
        assert os.listdir(tmp_path) == [name]
        assert (tmp_path / name).read_text() == "before"


def test_interrupt_while_it_waits_for_standard_input(tmp_path):
    command = [sys.executable, "-m", "gonextdoor", "walk", "-", "-o", "w.npy"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdin.write("0 1\n" * 100_000)  # more than a pipe holds: when this is done, it has begun to read
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr.read().strip() == "gonextdoor: interrupted"
    assert os.listdir(tmp_path) == []


class TestClosedPipe:
    @pytest.mark.parametrize(
        "arguments", daily.share(["walk {g} -o - --repeat 100", "info {g}", "doctor"], 3, "closed pipe")
    )
    def test_quiet_exit(self, arguments, folder):
        command = [sys.executable, "-m", "gonextdoor", *(a.format(g=folder / "plain") for a in arguments.split())]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.close()
            stderr = process.stderr.read().decode()
        assert process.returncode == 0, stderr
        assert "Broken" not in stderr
        assert "Traceback" not in stderr

    def test_head(self, folder):
        command = f"{sys.executable} -m gonextdoor walk {folder / 'plain'} -o - --repeat 300 -q | head -n 1"
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
        assert done.returncode == 0
        assert done.stdout.count("\n") == 1
        assert re.fullmatch(r"seed +\d+\n", done.stderr)

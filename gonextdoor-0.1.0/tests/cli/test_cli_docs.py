"""The command lines of docs/cli.md and of the tutorial run, in their order."""

import json
import os
import re
import shlex

import commandline
import corpus
import docpages


def test_completion_lines_work():
    """The lines for the shells' startup files print a completion script."""
    page = (corpus.ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    shells = re.findall(r"_GONEXTDOOR_COMPLETE=(\w+)_source gonextdoor", page)
    assert shells == ["bash", "zsh", "fish"]
    for shell in shells[1:]:  # click runs Bash to look up its version
        script = commandline.ok(env=os.environ | {"_GONEXTDOOR_COMPLETE": f"{shell}_source"}).stdout
        assert f"_GONEXTDOOR_COMPLETE={shell}_complete" in script


def test_keys_of_info_are_listed(tmp_path):
    page = (corpus.ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    table = page.partition("`info --json` prints")[2].partition("\n\n")[2].partition("\n\n")[0]
    listed = {key for row in table.splitlines()[2:] for key in re.findall(r"`(\w+)`", row.split("|")[1])}
    (tmp_path / "e.csv").write_text("a,b\n0,1\n")
    given = "--header", "--verify", "--parts", "2", "--json"
    assert set(json.loads(commandline.ok("info", tmp_path / "e.csv", *given).stdout)) == listed


def test_command_lines_run(tmp_path):
    page = (corpus.ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    lines = [line[2:] for block in blocks for line in block.splitlines()]
    assert len(lines) > 5
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "gonextdoor"
        done = commandline.run(*arguments, cwd=tmp_path)
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def test_the_tutorial_prints_what_it_shows(tmp_path):
    compared = 0
    for block, shown in docpages.page_blocks("docs/tutorials/command-line.md", "console"):
        printed = ""
        for line in block.replace("\\\n", "").splitlines():
            program, *arguments = shlex.split(line.removeprefix("$ "))
            assert program == "gonextdoor"
            done = commandline.run(*arguments, cwd=tmp_path)
            assert done.returncode == 0, f"{line}\n{done.stderr}"
            printed += done.stdout
        if shown is not None:
            assert printed == shown
            compared += 1
    assert compared == 2

"""The command lines of docs/cli.md and of the tutorial run, in their order."""

import re
import shlex

import commandline
import corpus
import docpages


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

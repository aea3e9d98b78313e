"""The command lines of docs/cli.md run, in their order."""

import re
import shlex

import commandline
import corpus


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

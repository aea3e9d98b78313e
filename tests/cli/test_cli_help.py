"""Every command explains itself."""

import re

import pytest
from commandline import ok
from gonextdoor.cli import group, main

import gonextdoor as gnd

COMMANDS = [
    "info",
    "walk",
    "khop",
    "sample",
    "embed",
    "explain",
    "plot",
    "apps",
    "convert",
    "partition",
    "generate",
    "doctor",
    "bench",
    "demo",
]


class TestHelp:
    def test_commands(self):
        assert list(group.commands) == COMMANDS
        for arguments in ([], ["--help"], ["-h"]):
            text = ok(*arguments).stdout
            assert all(re.search(rf"^  {command} ", text, re.MULTILINE) for command in COMMANDS)

    @pytest.mark.parametrize("command", COMMANDS)
    def test_each_command_has_an_example(self, command, capsys):
        assert main([command, "--help"]) == 0
        assert f"Example:\n  gonextdoor {command}" in capsys.readouterr().out

    @pytest.mark.parametrize("option", ["--version", "-V"])
    def test_version(self, option):
        assert ok(option).stdout.strip() == f"gonextdoor, version {gnd.__version__}"

    @pytest.mark.parametrize("command", ["walk", "khop", "sample", "embed", "explain", "generate", "info", "convert"])
    def test_options_are_in_groups(self, command, capsys):
        """Only options that all commands share, and --json and --verify, are outside the groups."""
        assert main([command, "--help"]) == 0
        text = capsys.readouterr().out
        assert "\nOther options:\n" in text
        names = {"info": ["Reading FILE"], "convert": ["Partition", "Reading FILE"], "generate": ["Graph", "Output"]}
        usual = ["Output", "Samples", "Execution", "Reading FILE"]
        names |= {
            "walk": ["App", *usual[:-1], "Cluster", usual[-1]],
            "khop": ["App", *usual],
            "sample": usual,
            "embed": ["Output", "Walks", "Training", *usual[2:]],
            "explain": usual[1:],
        }
        assert re.findall(r"^([A-Z][A-Za-z ]+):$", text, re.MULTILINE)[:-2] == [
            *(["Positional arguments"] if command != "generate" else []), *names[command]
        ]  # fmt: skip
        other = text.partition("\nOther options:\n")[2]
        allowed = {"--quiet", "--debug", "--help", "--json", "--verify", "--app", "--parts"}
        assert set(re.findall(r"^  (?:-\w, )?(--\w+)", other, re.MULTILINE)) <= allowed

    def test_every_option_has_help(self):
        for command in group.commands.values():
            for parameter in command.params:
                assert parameter.help, (command.name, parameter.name)

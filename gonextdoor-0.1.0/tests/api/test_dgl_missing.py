"""If DGL is missing or was built for another PyTorch, the error says what to install. With DGL: tests/gnn."""

import subprocess
import sys

import pytest

import gonextdoor as gnd

USES = {
    "the package": "import gonextdoor.dgl",
    "a graph": "import gonextdoor; gonextdoor.Graph.from_dgl(None)",
}


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_what_to_install(use):
    code = f"import sys; sys.modules['dgl'] = None\n{use}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode and "ImportError: gonextdoor.dgl needs DGL" in done.stderr
    assert "pip install 'gonextdoor[dgl]'" in done.stderr


def test_nothing_else_loads_a_framework():
    code = "import sys, gonextdoor; sys.exit(any(name in sys.modules for name in ('dgl', 'torch', 'torch_geometric')))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    assert gnd.Graph.from_dgl.__doc__

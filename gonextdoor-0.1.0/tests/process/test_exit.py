"""The interpreter may end at any moment."""

from __future__ import annotations

import corpus
import daily
import pytest

ENDS = {
    "objects in modules": "s = gnd.sample(g, gnd.apps.DeepWalk(9)); p = gnd.PGSampler([3]); b = p.sample(g, [1])",
    "views only": "view = gnd.sample(g, gnd.apps.DeepWalk(20000)).numpy()[3]; ids = g.indices; del g",
    "a cycle": "class C: pass\nc = C(); c.c = c; c.s = gnd.sample(g, gnd.apps.DeepWalk(20000)); c.g = g",
    "an object that samples when it ends": (
        "class D:\n    def __del__(self): gnd.sample(g, gnd.apps.DeepWalk(3))\nd = D(); import builtins; builtins.d = d"
    ),
    "a daemon thread in a long call": (
        "import threading, time\n"
        "def work():\n    while True: gnd.sample(g, gnd.apps.DeepWalk(100_000), repeat=20)\n"
        "threading.Thread(target=work, daemon=True).start(); time.sleep(0.4)"
    ),
    "daemon threads in short calls": (
        "import threading, time\n"
        "def work():\n    while True: gnd.sample(g, gnd.apps.DeepWalk(10))\n"
        "for _ in range(4): threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.2)"
    ),
    "a thread that goes on": (
        "import threading, time\n"
        "def work():\n    time.sleep(0.2); gnd.sample(g, gnd.apps.DeepWalk(10_000)); print('worked')\n"
        "threading.Thread(target=work).start()"
    ),
    "sys.exit": "import sys; s = gnd.sample(g, gnd.apps.DeepWalk(9)); sys.exit(0)",
    "at exit": "import atexit; atexit.register(lambda: gnd.sample(g, gnd.apps.DeepWalk(9)))",
}


@pytest.mark.parametrize("end", daily.share(ENDS, 3))
def test_ends(end: str) -> None:
    program = f"import corpus, gonextdoor as gnd\ng = corpus.graph()\n{ENDS[end]}\n"
    out = corpus.program(program, timeout=60, quiet=True)
    assert out == ("worked\n" if end == "a thread that goes on" else "")

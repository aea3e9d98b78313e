"""gonextdoor bench --costs on a GPU: it runs, and an emulated GPU's times are not shown."""

from __future__ import annotations

import pytest
from gonextdoor.cli import costs

import gonextdoor as gnd


@pytest.mark.usefixtures("gpu")
def test_no_times_of_an_emulated_gpu(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if not costs.emulated():
        pytest.skip("the GPU is a real one")
    wanted = [costs.Case("DeepWalk", gnd.apps.DeepWalk(3)), costs.Case("FastGCN", gnd.apps.FastGCN([3]))]
    monkeypatch.setattr(costs, "cases", lambda *_: wanted)
    costs.show(gnd.rmat(5, 4, seed=1), device="cuda")
    text = capsys.readouterr().out
    assert text.count("no time: emulated") == 2


def test_a_graph_without_weights_or_labels_gets_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "cases", lambda *_: [costs.Case("MetaPath", gnd.apps.MetaPath([0, 1], 3))])
    monkeypatch.setattr(costs, "SECONDS", 1e-4)
    costs.show(gnd.rmat(5, 4, seed=1))
    assert "MetaPath" in capsys.readouterr().out

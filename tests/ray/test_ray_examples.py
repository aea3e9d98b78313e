"""The examples for Ray run. Those that need programs that are not installed are skipped."""

import importlib.util
import os
import pathlib
import re
import shlex
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml

import gonextdoor as gnd

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def ran(program, *arguments, cwd, **env):
    """The output of an example."""
    command = [sys.executable, "-W", "ignore", *program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, cwd=cwd, env=os.environ | env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def needs(*modules):
    """Skips a test without these modules."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: the example says what it needs")


@pytest.mark.slow
def test_embeddings_find_the_classes(tmp_path):
    told = ran([EXAMPLES / "ray" / "embeddings.py"], cwd=tmp_path)
    assert float(re.search(r"same class: ([\d.]+)", told)[1]) > 0.9


@pytest.mark.slow
def test_ray_train(tmp_path):
    needs("torch", "torch_geometric", "ray.train")
    told = ran([EXAMPLES / "gnn" / "pyg_ray_train.py"], "--epochs", "2", "--cpus", "0.5", cwd=tmp_path)
    assert float(re.search(r"epoch 1: .*accuracy ([\d.]+)", told)[1]) > 0.7


@pytest.mark.slow
def test_airflow(tmp_path):
    needs("airflow")
    folders = {"AIRFLOW_HOME": str(tmp_path), "AIRFLOW__CORE__DAGS_FOLDER": str(EXAMPLES / "ray")}
    given = {"cwd": tmp_path, "AIRFLOW__CORE__LOAD_EXAMPLES": "False", **folders}
    ran(["-m", "airflow"], "db", "migrate", **given)
    vertices = len(np.unique(gnd.rmat(10, 4, seed=1).indices))  # with an edge
    assert f"success {10 * vertices} walks" in ran([EXAMPLES / "ray" / "airflow_walks.py"], **given)


# The fields of the manifest that KubeRay's reference of ray.io/v1 lists, with their types.
JOB = {
    "entrypoint": str,
    "backoffLimit": int,
    "shutdownAfterJobFinishes": bool,
    "ttlSecondsAfterFinished": int,
    "rayClusterSpec": dict,
}
CLUSTER = {"rayVersion": str, "authOptions": dict, "headGroupSpec": dict, "workerGroupSpecs": list}
HEAD = {"rayStartParams": dict, "template": dict}
WORKERS = HEAD | {"groupName": str, "replicas": int, "minReplicas": int, "maxReplicas": int}
CONTAINER = {"name": str, "image": str, "resources": dict, "envFrom": list, "env": list, "volumeMounts": list}


def has(fields, given):
    """Checks the names and the types of fields, all of which the manifest has."""
    assert {name: type(value) for name, value in given.items()} == fields


@pytest.fixture
def job():
    return yaml.safe_load((EXAMPLES / "ray" / "kubernetes.yaml").read_text())


def test_the_fields_of_the_manifest(job):
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    cluster = job["spec"]["rayClusterSpec"]
    (workers,) = cluster["workerGroupSpecs"]
    for fields, given in ((JOB, job["spec"]), (CLUSTER, cluster), (HEAD, cluster["headGroupSpec"]), (WORKERS, workers)):
        has(fields, given)
    assert cluster["authOptions"] == {"mode": "token"}
    assert workers["minReplicas"] <= workers["replicas"] <= workers["maxReplicas"]
    for group in (cluster["headGroupSpec"], workers):
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        pod = group["template"]["spec"]
        (container,) = pod["containers"]
        has(CONTAINER, container)
        assert container["image"].endswith(f":ray-{cluster['rayVersion']}")
        assert [volume["name"] for volume in pod["volumes"]] == [at["name"] for at in container["volumeMounts"]]


def test_the_entrypoint_of_the_manifest(job, nodes, graph, uri, tmp_path):
    """It writes the walks of one machine, and a second attempt finds them."""
    program, *words = shlex.split(job["spec"]["entrypoint"])
    assert program == "gonextdoor"
    places = {"s3://bucket/graph": uri, "s3://bucket/walks": str(tmp_path)}
    app = gnd.apps.Node2Vec(q=2, length=80)
    made = gnd.sample(graph, app, repeat=10, seed=42).numpy().tolist()
    for _ in range(2):
        words = [places.get(word, word) for word in words]
        ran(["-m", "gonextdoor"], *words, cwd=tmp_path, RAY_ADDRESS=nodes.address)
        walks = pq.read_table(tmp_path)["walk"].to_pylist()
        assert [[-1 if vertex is None else vertex for vertex in walk] for walk in walks] == made


def test_the_cache_of_the_manifest(job, graph, tmp_path, monkeypatch):
    """It is in a volume that all users can write."""
    (container,) = job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["containers"]
    (mount,), (cache,) = container["volumeMounts"], container["env"]
    volume = tmp_path / "volume"
    volume.mkdir()
    volume.chmod(0o777)
    graph.save(tmp_path / "graph")
    monkeypatch.setenv(cache["name"], cache["value"].replace(mount["mountPath"], str(volume)))
    assert gnd.Graph.open(f"local://{tmp_path}/graph").equals(graph)
    assert os.listdir(volume)

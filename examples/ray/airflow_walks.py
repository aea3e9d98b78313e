"""An Airflow DAG: the edges of each day become a partitioned graph, and its walks Parquet files, on a Ray cluster.

    pip install '.[ray]' 'apache-airflow>=3'    # in a checkout
    export AIRFLOW__CORE__DAGS_FOLDER=$PWD/examples/ray
    airflow db migrate
    python examples/ray/airflow_walks.py        # one day, without a scheduler, on a cluster of this machine

To schedule it, copy this file to Airflow's folder of DAGs and replace the folders. The tasks run on machines of the
cluster: ``ray start --address=HEAD:6379 --num-cpus=0`` makes a worker of Airflow one. If the cluster has a token, the
workers of Airflow need RAY_AUTH_MODE and RAY_AUTH_TOKEN. A task that is tried again writes the missing files only.
"""

import os
import pathlib
import tempfile

import pendulum
from airflow.sdk import dag, task

FOLDERS = {"edges": "s3://bucket/edges", "graphs": "/shared/graphs", "walks": "s3://bucket/walks"}


@task(retries=2)
def convert(edges, graph):
    """Converts Parquet files of edges. Returns the folder of the graph, which all nodes can write."""
    import gonextdoor.ray  # here, since Airflow reads this file every few seconds

    if not os.path.exists(graph):  # it appears when it is complete
        gonextdoor.ray.convert(edges, graph, parts=2, symmetric=True, num_cpus=0.5)
    return graph


@task(retries=2)
def sample(graph, walks):
    """Writes walks. Returns their number."""
    import gonextdoor.ray

    import gonextdoor as gnd

    app = gnd.apps.Node2Vec(p=1, q=0.5, length=30)
    return gonextdoor.ray.write(graph, app, walks, repeat=10, seed=1, resume=True).rows


@dag(schedule="@daily", start_date=pendulum.datetime(2026, 1, 1), catchup=False, params=FOLDERS)
def daily_walks():
    """The tasks of a day."""
    graph = convert("{{ params.edges }}/{{ ds }}", "{{ params.graphs }}/{{ ds }}")
    sample(graph, "{{ params.walks }}/{{ ds }}")


walks_of_a_day = daily_walks()


def main():
    """One run of the DAG, on edges that are made for it."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    import gonextdoor as gnd

    folder, day = pathlib.Path(tempfile.mkdtemp()), pendulum.datetime(2026, 1, 1)
    graph = gnd.rmat(10, 4, seed=1)
    edges = {"source": np.repeat(np.arange(graph.num_vertices), graph.degrees()), "target": graph.indices}
    (folder / "edges" / "2026-01-01").mkdir(parents=True)
    (folder / "graphs").mkdir()
    pq.write_table(pa.table(edges), folder / "edges" / "2026-01-01" / "0.parquet")
    run = walks_of_a_day.test(logical_date=day, run_conf={name: str(folder / name) for name in FOLDERS})
    print(run.state, pq.read_table(folder / "walks" / "2026-01-01").num_rows, "walks")


if __name__ == "__main__":
    main()

"""Tests of PyG and DGL that fail with this package, and why: patterns of test ids, by library."""

ORDER = (
    "the order of a vertex's edges when all are taken: here by source, as the graph is kept; in GraphBolt as in its "
    "input, which has a vertex with the sources 1, 0"
)

SPARSE = "another package: checks batches with torch-sparse's SparseTensor"
OPERATOR = "an operator of pyg-lib that samples nothing: "

LEFT_OUT: dict[str, dict[str, str]] = {
    "pyg": {
        "test/loader/test_hgt_loader.py::test_hgt_loader": SPARSE,
        "test/loader/test_hgt_loader.py::test_hgt_loader_on_cora": "downloads the data set Cora",
        "test/loader/test_neighbor_loader.py::test_pyg_lib_and_torch_sparse_homo_equality": "another package: compares "
        "pyg-lib's operators with those of torch-sparse",
        "test/loader/test_neighbor_loader.py::test_pyg_lib_and_torch_sparse_hetero_equality": "another package: "
        "compares pyg-lib's operators with those of torch-sparse",
        "test/loader/test_neighbor_sampler.py::test_neighbor_sampler_basic": SPARSE,
        "test/loader/test_neighbor_sampler.py::test_neighbor_sampler_on_cora": "downloads the data set Cora",
        "test/loader/test_shadow.py::test_shadow_k_hop_sampler": SPARSE,
        "test/nn/models/test_schnet.py::test_schnet*": f"{OPERATOR}radius_graph",
        "test/nn/models/test_visnet.py::test_visnet*": f"{OPERATOR}radius_graph",
        "test/transforms/test_grid_sampling.py::test_grid_sampling": f"{OPERATOR}grid_cluster",
        "test/transforms/test_knn_graph.py::test_knn_graph": f"{OPERATOR}knn",
        "test/transforms/test_radius_graph.py::test_radius_graph": f"{OPERATOR}radius",
        "test/utils/test_dropout.py::test_dropout_path": "exact random numbers: the walks of pyg-lib after "
        "torch.manual_seed",
    },
    "dgl": {
        "*/dataloading/test_dataloader.py::test_cluster_gcn*": "downloads the data set CoraFull; fails as it is, too",
        "*/dataloading/test_dataloader.py::test_shadow*": "downloads the data set CoraFull; fails as it is, too",
        "*/dataloading/test_dataloader.py::test_saint*": "downloads the data set CoraFull; fails as it is, too",
        "*/dataloading/test_dataloader.py::test_dataloader_worker_init_fn": "downloads the data set CoraFull; fails as "
        "it is, too",
        "*/graphbolt/test_integration.py::test_integration_link_prediction": "exact random numbers: GraphBolt's after "
        "torch.manual_seed",
        "*/graphbolt/test_integration.py::test_integration_node_classification": "exact random numbers: GraphBolt's "
        "after torch.manual_seed",
        "*/test_subgraph_sampler.py::test_SubgraphSampler_without_dedpulication_Hetero_*SamplerType.Normal?": ORDER,
        "*/test_subgraph_sampler.py::test_SubgraphSampler_unique_csc_format_Hetero_*False?": ORDER,
    },
}

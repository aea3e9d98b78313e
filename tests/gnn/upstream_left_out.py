"""Tests of PyG and DGL that fail with this package, and why: patterns of test ids, by library."""

LEFT_OUT: dict[str, dict[str, str]] = {
    "pyg": {
        "test/loader/test_hgt_loader.py::test_hgt_loader": "another package: checks batches with torch-sparse's "
        "SparseTensor",
        "test/loader/test_hgt_loader.py::test_hgt_loader_on_cora": "downloads the data set Cora",
        "test/loader/test_neighbor_loader.py::test_pyg_lib_and_torch_sparse_homo_equality": "another package: compares "
        "pyg-lib's operators with those of torch-sparse",
        "test/loader/test_neighbor_loader.py::test_pyg_lib_and_torch_sparse_hetero_equality": "another package: "
        "compares pyg-lib's operators with those of torch-sparse",
        "test/utils/test_dropout.py::test_dropout_path": "exact random numbers: the walks of pyg-lib after "
        "torch.manual_seed",
    },
    "dgl": {
        "*/dataloading/test_dataloader.py::test_cluster_gcn*": "downloads the data set CoraFull; fails as it is, too",
        "*/dataloading/test_dataloader.py::test_shadow*": "downloads the data set CoraFull; fails as it is, too",
        "*/dataloading/test_dataloader.py::test_saint*": "downloads the data set CoraFull; fails as it is, too",
        "*/dataloading/test_dataloader.py::test_dataloader_worker_init_fn": "downloads the data set CoraFull; fails as "
        "it is, too",
    },
}

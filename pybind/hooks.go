package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/kernels"
)

// HookLayout gives as JSON what a compiler of hooks must agree with: where the fields of hook.Run and hook.Block lie, and
// the faults.
func HookLayout() (text string, err error) {
	defer guard(&err)
	return hook.Layout(), nil
}

// HookTarget gives as JSON what hooks are compiled for on a GPU: its architecture (90), the CUDA version that the driver
// speaks (13000), and a digest of the kernels' text.
func HookTarget(device int64) (text string, err error) {
	defer guard(&err)
	d, err := cuda.Open(int(device))
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]any{"sm": d.SM, "driver": cuda.Version(), "digest": kernels.Digest()})
	return string(b), err
}

// KernelSources gives as JSON the kernels' text, by the name that #include gives each file.
func KernelSources() (text string, err error) {
	defer guard(&err)
	b, err := json.Marshal(kernels.Sources())
	return string(b), err
}

// GraphPacks says whether kernels can find the rows of a graph by the packed table.
func GraphPacks(graph int64) (packs bool, err error) {
	defer guard(&err)
	g, err := graphs.get(graph)
	if err != nil {
		return false, err
	}
	return resident.Fits(g, resident.Packed) == nil, nil
}

package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/kernels"
	"gonextdoor/kernels/entry"
)

// HookLayout returns, as JSON, the offsets of the fields of hook.Run and hook.Block and the codes of faults, for the
// compiler of hooks.
func HookLayout() (text string, err error) {
	defer guard(&err)
	return hook.Layout(), nil
}

// HookTarget returns, as JSON, the target of hooks on a GPU: its architecture (90 for sm_90), the CUDA version that the
// driver supports (13000 for 13.0), and a digest of the kernel sources.
func HookTarget(device int64) (text string, err error) {
	defer guard(&err)
	d, err := cuda.Open(int(device))
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]any{"sm": d.SM, "driver": cuda.Version(), "digest": kernels.Digest()})
	return string(b), err
}

// KernelSources returns, as JSON, the sources of the kernels by the path of each file in #include, and the forms of hooks.
func KernelSources() (text string, err error) {
	defer guard(&err)
	b, err := json.Marshal(map[string]any{"files": kernels.Sources(), "forms": entry.Hooks()})
	return string(b), err
}

// GraphPacks reports whether a graph can have the layout resident.Packed on a GPU.
func GraphPacks(graph int64) (packs bool, err error) {
	defer guard(&err)
	g, err := graphs.get(graph)
	if err != nil {
		return false, err
	}
	return resident.Fits(g, resident.Packed) == nil, nil
}

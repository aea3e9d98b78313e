package pybind

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/roots"
)

// vertices gives n integers at an address as vertices of g. kind is the bytes of an integer, negative if it has a sign.
func vertices(g *graph.Graph, argument string, address uintptr, n, kind int64, threads int) ([]uint32, error) {
	narrow := make([]uint32, max(0, n))
	return narrow, narrowed(g.NumVertices(), argument, address, kind, narrow, threads)
}

// narrowed writes them to narrow, of so many vertices.
func narrowed(n int, argument string, address uintptr, kind int64, narrow []uint32, threads int) error {
	return roots.CopyKind(n, argument, pointer(address), kind, narrow, threads)
}

// onDevice is the kind of roots that DeviceRoots holds, drawn that of random ones that the GPU draws.
const (
	onDevice = 32
	drawn    = 33
)

// rootsAt sees count roots of width vertices each at an address; kind 0 is every vertex in order.
func rootsAt(g *graph.Graph, address uintptr, count, width, kind, repeat int64, threads int) (plan.Roots, error) {
	r := plan.Roots{Count: int(count), Width: int(width), Repeat: int(repeat)}
	if kind == 0 {
		r.Count, r.Width = g.NumVertices(), 1
		return r, nil
	}
	if kind == onDevice {
		held, err := deviceRoots.get(int64(address))
		if err != nil {
			return r, err
		}
		r.Vertices, r.OnDevice = []uint32{}, held.Address()
		return r, nil
	}
	if kind == drawn {
		r.Vertices, r.Drawn = []uint32{}, true
		return r, nil
	}
	v, err := vertices(g, "roots", address, count*width, kind, threads)
	if v == nil {
		v = []uint32{}
	}
	r.Vertices = v
	return r, err
}

package pybind

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/roots"
	"gonextdoor/pybind/record"
)

// vertices returns n integers at an address as vertices of g. kind is the bytes of an integer, negative if it has a sign.
func vertices(g *graph.Graph, argument string, address uintptr, n, kind int64, threads int) ([]uint32, error) {
	narrow := make([]uint32, max(0, n))
	return narrow, narrowed(g.NumVertices(), argument, address, kind, narrow, threads)
}

// narrowed writes them to narrow; n is the number of vertices of the graph.
func narrowed(n int, argument string, address uintptr, kind int64, narrow []uint32, threads int) error {
	return roots.CopyKind(n, argument, pointer(address), kind, narrow, threads)
}

// onDevice is the kind of roots that DeviceRoots holds, drawn that of random ones that the GPU draws.
const (
	onDevice = 32
	drawn    = 33
)

// rootsAt returns the roots of a request, width vertices each; see record.Request.
func rootsAt(g *graph.Graph, request *record.Request, width int) (plan.Roots, error) {
	r := plan.Roots{Count: int(request.RootCount), Width: width, Repeat: int(request.Repeat)}
	switch request.Kind {
	case 0:
		r.Count, r.Width = g.NumVertices(), 1
		return r, nil
	case onDevice:
		held, err := deviceRoots.get(request.Roots)
		if err != nil {
			return r, err
		}
		r.Vertices, r.OnDevice = []uint32{}, held.Address()
		return r, nil
	case drawn:
		r.Vertices, r.Drawn = []uint32{}, true
		return r, nil
	}
	var err error
	n := request.RootCount * int64(width)
	r.Vertices, err = vertices(g, "roots", uintptr(request.Roots), n, request.Kind, int(request.Threads))
	return r, err
}

package pybind

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/roots"
	"gonextdoor/pybind/record"
)

// vertices returns a validated copy of n integers at an address. kind is the number of bytes per integer, negative if the
// integers are signed. argument is the name for errors.
func vertices(g *graph.Graph, argument string, address uintptr, n, kind int64, threads int) ([]uint32, error) {
	to := make([]uint32, max(0, n))
	return to, copyVertices(g.NumVertices(), argument, address, kind, 0, to, threads)
}

// copyVertices copies len(to) integers, from number first of those at an address on, to to. It returns an IndexError unless all
// are vertices of a graph of n vertices.
func copyVertices(n int, argument string, address uintptr, kind int64, first int, to []uint32, threads int) error {
	return roots.CopyKind(n, argument, pointer(address), kind, first, to, threads, false)
}

// Values of record.Request.Kind for roots that are not in host memory.
const (
	kindOnDevice = 32 // Roots is a handle of DeviceRoots
	kindDrawn    = 33 // the GPU draws random roots
)

// rootsAt returns the roots of a request, width vertices each; see record.Request.
func rootsAt(g *graph.Graph, request *record.Request, width int) (plan.Roots, error) {
	return rootsOf(g.NumVertices(), request, width)
}

// rootsOf is rootsAt for a graph of n vertices.
func rootsOf(n int, request *record.Request, width int) (plan.Roots, error) {
	r := plan.Roots{Count: int(request.RootCount), Width: width, Repeat: int(request.Repeat)}
	switch request.Kind {
	case 0:
		r.Count, r.Width = n, 1
		return r, nil
	case kindOnDevice:
		held, err := deviceRoots.get(request.Roots)
		if err != nil {
			return r, err
		}
		r.Vertices, r.OnDevice = []uint32{}, held.Address()
		return r, nil
	case kindDrawn:
		r.Vertices, r.Drawn = []uint32{}, true
		return r, nil
	}
	r.Vertices = make([]uint32, max(0, request.RootCount*int64(width)))
	return r, copyVertices(n, "roots", uintptr(request.Roots), request.Kind, 0, r.Vertices, int(request.Threads))
}

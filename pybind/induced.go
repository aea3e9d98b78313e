package pybind

import "gonextdoor/gonextdoor/graph/index"

// GraphInduced writes the edges between the vertices of each group of nodes to rows, cols and ids, int64 with room for room
// edges, and returns their number; see index.Induced. ends has the end of each group in nodes.
func GraphInduced(handle int64, nodes uintptr, ends uintptr, groups int64, rows uintptr, cols uintptr, ids uintptr, room int64) (n int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	at, count := view[int64](ends, groups), int64(0)
	if groups > 0 {
		count = at[groups-1]
	}
	err = readMapped(g, func() error {
		found, err := index.Induced(g, view[int64](nodes, count), at, view[int64](rows, room), view[int64](cols, room), view[int64](ids, room))
		n = int64(found)
		return err
	})
	return n, err
}

package pybind

import (
	"gonextdoor/gonextdoor/engine/cpu/induced"
	"gonextdoor/pybind/record"
)

// GraphInduced finds edges between groups of vertices. calls is the address of count records.Induced, to each of which it writes
// a lent result.
func GraphInduced(handle int64, calls uintptr, count int64, threads int64) (known bool, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return false, err
	}
	batches, records := make([]induced.Groups, count), view[record.Induced](calls, count)
	for i, c := range records {
		to := &batches[i]
		to.Ends, to.OtherEnds = view[int64](uintptr(c.Ends), c.Groups), view[int64](uintptr(c.OtherEnds), c.Groups)
		to.Vertices, to.Others = grouped(c.Vertices, to.Ends), grouped(c.Others, to.OtherEnds)
		to.Order = induced.Order(c.Order)
	}
	err = readMapped(g, func() error {
		found, err := induced.Many(g, batches, int(threads))
		for i, edges := range found {
			c := &records[i]
			c.Places, c.IDs, c.Found = address(edges.Places), address(edges.IDs), int64(len(edges.IDs))
		}
		return err
	})
	return true, err
}

// GraphClustered finds the edges among the vertices of chosen clusters. bounds is the address of the first vertex of each of some
// clusters, and the number of vertices; calls that of count records.Clustered, to each of which it writes a lent result.
func GraphClustered(handle int64, bounds uintptr, clusters int64, calls uintptr, count int64, threads int64) (known bool, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return false, err
	}
	batches, records := make([][]int64, count), view[record.Clustered](calls, count)
	for i, c := range records {
		batches[i] = view[int64](uintptr(c.Chosen), c.Clusters)
	}
	err = readMapped(g, func() error {
		found, err := induced.OfClusters(g, view[int64](bounds, clusters+1), batches, int(threads))
		for i, out := range found {
			c := &records[i]
			c.Vertices, c.Size = address(out.Vertices), int64(len(out.Vertices))
			c.Places, c.IDs, c.Found = address(out.Places), address(out.IDs), int64(len(out.IDs))
		}
		return err
	})
	return true, err
}

// grouped returns the vertices at an address, which groups with these ends have.
func grouped(vertices int64, ends []int64) []int64 {
	if len(ends) == 0 {
		return nil
	}
	return view[int64](uintptr(vertices), ends[len(ends)-1])
}

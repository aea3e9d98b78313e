package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/file"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/partition"
	"gonextdoor/gonextdoor/refuse"
)

// partitionedGraph is the layout of a partitioned graph that Python holds, without its parts.
type partitionedGraph struct {
	*partition.Layout
	opened *file.Partition // nil: it is in memory
}

var (
	partitions registry[partitionedGraph]
	parts      registry[openPart]
	walks      registry[*partition.Walks]
	cohorts    registry[sender]
)

// openPart is a part that Python holds.
type openPart struct {
	*partition.HeteroPart
	plain *partition.Part // nil: the graph is heterogeneous
}

// plainPart returns the part of a handle. It returns an error if the graph is heterogeneous.
func plainPart(handle int64) (*partition.Part, error) {
	p, err := parts.get(handle)
	if err == nil && p.plain == nil {
		err = refuse.Value("the part is of a heterogeneous graph, which has mini-batches only: see gonextdoor.partition.NeighborSampler")
	}
	return p.plain, err
}

// sender has buffers to all parts: a cohort, or the start of one.
type sender interface {
	Sizes() []int
	Encode(part int, to []uint32)
}

// PartitionOpen opens the folder of a partitioned graph without its parts.
func PartitionOpen(folder string) (handle int64, err error) {
	defer guard(&err)
	layout, opened, err := partition.OpenLayout(folder)
	if err != nil {
		return 0, err
	}
	return partitions.add(partitionedGraph{layout, opened}), nil
}

// PartitionSplit copies a graph into parts in memory. spec is that of partitioning. The handles of the parts are written to out,
// an int64 per part. It returns the handle of the layout.
func PartitionSplit(handle int64, spec string, out uintptr, count int64, job uintptr) (split int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	opts := graph.Options{Job: jobAt(job)}
	how, err := partitioning(g, spec, opts)
	if err != nil {
		return 0, err
	}
	var made []*partition.Part
	err = readMapped(g, func() (err error) {
		made, err = partition.Split(g, how.Owner, how.Hot, opts)
		return err
	})
	if err != nil {
		return 0, err
	}
	for i, p := range made {
		view[int64](out, count)[i] = parts.add(openPart{p.Alone(), p})
	}
	return partitions.add(partitionedGraph{Layout: made[0].Layout}), nil
}

// PartitionFacts describes a partitioned graph as JSON.
func PartitionFacts(handle int64) (facts string, err error) {
	defer guard(&err)
	p, err := partitions.get(handle)
	if err != nil {
		return "", err
	}
	described := struct {
		partition.WholeGraph
		Parts   int
		Content string
	}{p.Whole, p.Owners.Parts(), ""}
	if p.opened != nil {
		described.Content = p.opened.Content()
	}
	text, err := json.Marshal(described)
	return string(text), err
}

// PartitionSelector returns the name of the selector by which an app chooses on a partitioned graph. It returns an error if the
// app cannot be sampled on it.
func PartitionSelector(handle int64, name string, params string, roots int64) (selector string, err error) {
	defer guard(&err)
	p, err := partitions.get(handle)
	if err != nil {
		return "", err
	}
	a, err := apps.Parse(name, params)
	if err != nil {
		return "", err
	}
	return partition.Selector(p.Layout, a, int(roots))
}

// PartitionDrawRoots is DrawRoots for a partitioned graph.
func PartitionDrawRoots(handle int64, seed int64, first int64, repeat int64, out uintptr, count int64, width int64, job uintptr) (n int64, err error) {
	defer guard(&err)
	p, err := partitions.get(handle)
	if err != nil {
		return 0, err
	}
	roots := view[uint32](out, count*width)
	return count * width, graph.FillRootsBelow(uint64(p.Whole.Vertices), roots, uint64(seed), uint64(first), int(repeat), int(width), jobAt(job))
}

// DropPartition closes the layout of a partitioned graph. Parts that were opened remain.
func DropPartition(handle int64) (known bool, err error) {
	defer guard(&err)
	p, known := partitions.drop(handle)
	if known && p.opened != nil {
		p.opened.Close()
	}
	return known, nil
}

// PartitionRefuses returns an error if the samples of an app cannot be made by parts.
func PartitionRefuses(app string) (local bool, err error) {
	defer guard(&err)
	return true, partition.RefuseLocal(app)
}

// PartitionCheck compares a copy of a partitioned graph with its record: what the parts share if part is -1, or the rows of a part,
// which are in a folder of that name beside the record.
func PartitionCheck(folder string, part int64, name string, job uintptr) (checked bool, err error) {
	defer guard(&err)
	p, err := file.OpenPartition(folder)
	if err != nil {
		return false, err
	}
	defer p.Close()
	opts := graph.Options{Job: jobAt(job)}
	if part < 0 {
		return true, p.CheckShared(opts)
	}
	return true, p.CheckPart(int(part), name, opts)
}

// PartOpen opens a part of the folder of a partitioned graph.
func PartOpen(folder string, part int64) (handle int64, err error) {
	defer guard(&err)
	p, err := partition.Open(folder, int(part), graph.Options{})
	if err != nil {
		return 0, err
	}
	return parts.add(openPart{p.Alone(), p}), nil
}

// PartOfRelations returns a part of a heterogeneous graph. spec is as for NewHetero, with the parts of the relations as graphs.
// They must not be dropped before it.
func PartOfRelations(spec string) (handle int64, err error) {
	defer guard(&err)
	var s hetero
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		return 0, err
	}
	var relations []*partition.Part
	for _, r := range s.Relations {
		p, err := plainPart(r.Graph)
		if err != nil {
			return 0, err
		}
		relations = append(relations, p)
	}
	p, err := partition.NewHeteroPart(s.graph(), relations)
	if err != nil {
		return 0, err
	}
	return parts.add(openPart{HeteroPart: p}), nil
}

// DropPart closes a part. Its walks must have been dropped.
func DropPart(handle int64) (known bool, err error) {
	defer guard(&err)
	p, known := parts.drop(handle)
	if known && p.plain != nil {
		p.plain.Close()
	} else if known {
		p.Close()
	}
	return known, nil
}

// PartWalks prepares the walks of an app at a part, from a number of roots per sample. record has a bit for traces (1), the ids
// of edges (2), visits (4) and ends (8).
func PartWalks(part int64, name string, params string, roots int64, seed int64, record int64) (handle int64, err error) {
	defer guard(&err)
	p, err := plainPart(part)
	if err != nil {
		return 0, err
	}
	a, err := apps.Parse(name, params)
	if err != nil {
		return 0, err
	}
	r := partition.Record{Traces: record&1 != 0, Edges: record&2 != 0, Visits: record&4 != 0, Ends: record&8 != 0}
	w, err := partition.NewWalks(p, a, int(roots), uint64(seed), r, graph.Options{})
	if err != nil {
		return 0, err
	}
	return walks.add(w), nil
}

// DropWalks frees the walks of an app at a part. Their cohorts must have been dropped.
func DropWalks(handle int64) (known bool, err error) {
	defer guard(&err)
	w, known := walks.drop(handle)
	if known {
		w.Close()
	}
	return known, nil
}

// PartCount returns the number of parts of the graph of a part.
func PartCount(handle int64) (count int64, err error) {
	defer guard(&err)
	p, err := parts.get(handle)
	if err != nil {
		return 0, err
	}
	return int64(p.Parts()), nil
}

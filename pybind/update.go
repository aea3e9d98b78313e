package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/index"
)

// update is the JSON of GraphUpdated's arguments: the edges to add, with the number of vertices of the result and the names of
// those that are new, and the edges to remove.
type update struct {
	edges
	RemoveIDs array  `json:"remove_ids"`
	RemoveSrc array  `json:"remove_src"`
	RemoveDst array  `json:"remove_dst"`
	Since     *int64 `json:"since"`
}

// GraphUpdated returns a new version of a graph, by build.Updated, with the tables of the graph that index.UpdateTables copies.
// spec has the arrays and options as JSON.
func GraphUpdated(handle int64, spec string, job uintptr) (updated int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	var u update
	if err := json.Unmarshal([]byte(spec), &u); err != nil {
		return 0, err
	}
	asked := build.Update{
		Graph: g, Symmetric: u.Symmetric, RemoveIDs: u.RemoveIDs.array(), RemoveSources: u.RemoveSrc.array(),
		RemoveTargets: u.RemoveDst.array(), Since: u.Since, Job: jobAt(job),
		Add: build.Edges{
			Sources: u.Src.array(), Targets: u.Dst.array(), Weights: u.Weights.array(), Labels: u.Labels.array(),
			Times: u.Times.array(), Symmetric: u.Symmetric,
		},
	}
	if u.NumVertices != nil {
		asked.NumVertices = *u.NumVertices
	}
	var to *graph.Graph
	err = readMapped(g, func() error {
		if to, err = build.Updated(asked); err != nil {
			return err
		}
		return index.UpdateTables(to, g, graph.Options{Job: jobAt(job)})
	})
	if err != nil {
		if to != nil {
			to.Close()
		}
		return 0, err
	}
	n := u.names.copied(to.NumVertices() - g.NumVertices())
	to.Names.Ints = append(to.Names.Ints, n.Ints...)
	if n.Offsets != nil {
		end := uint64(len(to.Names.Text))
		for _, offset := range n.Offsets[1:] {
			to.Names.Offsets = append(to.Names.Offsets, end+offset)
		}
		to.Names.Text = append(to.Names.Text, n.Text...)
	}
	return register(to, nil)
}

// GraphChanged writes the bitmap of the rows of a version that changed to out: words words, of which bit u%64 of word u/64 is
// that of row u. It writes nothing if the graph is no version.
func GraphChanged(handle int64, out uintptr, words int64) (n int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	return int64(copy(view[uint64](out, words), g.Changed)), nil
}

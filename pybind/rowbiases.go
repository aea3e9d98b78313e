package pybind

import (
	"slices"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// rowChunk is the number of vertices whose rows a thread reads at a time.
const rowChunk = 256

// RowMaxima writes the largest bias of each row of a graph, a uint32 per vertex, to out. Biases are those of an app's compiled
// edge_bias, for each value below cases of its parameter with the number place. An edge for which the hook has an
// error has the value that the hook returned; valid reports that there is none.
func RowMaxima(graph int64, handle int64, place int64, cases int64, out uintptr, vertices int64, job uintptr) (valid bool, err error) {
	defer guard(&err)
	g, a, err := graphAndApp(graph, handle)
	if err != nil {
		return false, err
	}
	c, ok := a.(*program.Custom)
	switch {
	case !ok || place < 0 || place >= int64(len(c.Params)) || cases < 1:
		return false, refuse.Value("app: expected one with edge_bias and at least %d parameters", place+1)
	case vertices != int64(g.NumVertices()):
		return false, refuse.Value("out has %d elements: expected %d, one per vertex", vertices, g.NumVertices())
	}
	maxima, valid := view[uint32](out, vertices), true
	for i := range cases {
		clean, err := raiseMaxima(g, withParameter(c, int(place), uint64(i)), maxima, jobAt(job))
		if err != nil {
			return false, g.Blame(err)
		}
		valid = valid && clean
	}
	return valid, nil
}

// withParameter returns a copy of an app with another value of a parameter.
func withParameter(c *program.Custom, place int, value uint64) *program.Custom {
	other := *c
	other.Params = slices.Clone(c.Params)
	other.Params[place] = value
	return &other
}

// raiseMaxima raises maxima to the largest biases of the rows, and reports whether the hook has no error for any edge.
func raiseMaxima(g *graph.Graph, c *program.Custom, maxima []uint32, j *job.Job) (valid bool, err error) {
	return eachRow(g, c, j, func(rows *program.RowBiases, lo, hi int) { rows.RowMaxima(lo, hi, maxima[lo:hi]) })
}

// eachRow calls f for the vertices of [lo, hi), until there was a call for each vertex. It reports whether the hook has no
// error for any edge.
func eachRow(g *graph.Graph, c *program.Custom, j *job.Job, f func(rows *program.RowBiases, lo, hi int)) (valid bool, err error) {
	rows, err := program.BeginRows(c, g, graph.Options{Job: j})
	if err != nil {
		return false, err
	}
	err = parallel.For(j, 0, g.NumVertices(), rowChunk, func(lo, hi int) error {
		f(rows, lo, hi)
		j.Add(int64(hi - lo))
		return nil
	})
	return !rows.Faulty(), err
}

// GraphByBiases returns a handle of a graph with the arrays of another one, in which the weight of an edge is the bias that an
// app's compiled edge_bias has for it. It is dropped before the other one. The handle is 0 if the hook has an error for an edge.
func GraphByBiases(handle int64, biased int64, job uintptr) (reweighted int64, err error) {
	defer guard(&err)
	g, a, err := graphAndApp(handle, biased)
	if err != nil {
		return 0, err
	}
	c, ok := a.(*program.Custom)
	if !ok {
		return 0, refuse.Value("app: expected one with edge_bias")
	}
	valid := false
	v, err := index.WithBiases(graph.NewReweighted(g), func(biases []uint32) (err error) {
		valid, err = eachRow(g, c, jobAt(job), func(rows *program.RowBiases, lo, hi int) {
			rows.Biases(lo, hi, biases[g.Indptr[lo]:g.Indptr[hi]])
		})
		return err
	})
	if err != nil {
		return 0, g.Blame(err)
	}
	if !valid {
		v.Close()
		return 0, nil
	}
	return graphs.add(v), nil
}

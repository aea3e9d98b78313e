package enginetest

import (
	"fmt"
	"slices"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

func runLayers(e engine.Engine, p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) ([]sample, error) {
	l, err := e.Layers(p, g, b, j)
	if err != nil {
		return nil, err
	}
	defer l.Return()
	rows, err := samplesOf(l.Ragged, b)
	if err != nil {
		return nil, err
	}
	if err := fitting(l, p, len(rows)); err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].parents = slices.Clone(l.Parents[l.Offsets[i]:l.Offsets[i+1]])
		rows[i].ends = slices.Clone(l.Ends[l.EndsFrom[i]:l.EndsFrom[i+1]])
		if !p.Records {
			continue
		}
		for k := l.LinksFrom[i]; k < l.LinksFrom[i+1]; k++ {
			rows[i].links = append(rows[i].links, link{l.Sources[k], l.Targets[k], l.LinkEdges[k], l.Values[k]})
		}
	}
	return rows, nil
}

// fitting returns an error if an array has a wrong size.
func fitting(l output.Layers, p plan.Plan, n int) error {
	switch {
	case len(l.Parents) != len(l.Vertices):
		return fmt.Errorf("%d parents for %d vertices", len(l.Parents), len(l.Vertices))
	case len(l.EndsFrom) != n+1 || l.EndsFrom[0] != 0 || int(l.EndsFrom[n]) != len(l.Ends):
		return fmt.Errorf("%d offsets for the %d ends of %d rows", len(l.EndsFrom), len(l.Ends), n)
	case !p.Records && l.LinksFrom != nil:
		return fmt.Errorf("links of an app that records none")
	case !p.Records:
		return nil
	case len(l.LinksFrom) != n+1 || l.LinksFrom[0] != 0 || int(l.LinksFrom[n]) != len(l.Sources):
		return fmt.Errorf("%d offsets for the %d links of %d rows", len(l.LinksFrom), len(l.Sources), n)
	case len(l.Targets) != len(l.Sources) || len(l.LinkEdges) != len(l.Sources) || len(l.Values) != len(l.Sources):
		return fmt.Errorf("links of %d sources, %d targets, %d edges, %d values", len(l.Sources), len(l.Targets), len(l.LinkEdges), len(l.Values))
	}
	return nil
}

// differs describes the difference of a sample from the wanted one, or returns "".
func (s sample) differs(want sample, edges bool) string {
	switch {
	case !slices.Equal(s.vertices, want.vertices):
		return fmt.Sprintf("vertices %v, expected %v", signed(s.vertices), signed(want.vertices))
	case edges && !slices.Equal(s.edges, want.edges):
		return fmt.Sprintf("edges %v, expected %v", s.edges, want.edges)
	case !slices.Equal(s.ends, want.ends):
		return fmt.Sprintf("steps that end at %v, expected %v", s.ends, want.ends)
	case !slices.Equal(s.parents, want.parents):
		return fmt.Sprintf("parents %v, expected %v", s.parents, want.parents)
	case !slices.Equal(s.links, want.links):
		return fmt.Sprintf("links %v, expected %v", s.links, want.links)
	}
	return ""
}

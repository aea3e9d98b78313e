package apps

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// ClusterGCN samples the subgraph of a union of clusters (Cluster-GCN, Chiang et al., KDD'19). A sample has the vertices of
// PerSample distinct clusters of a partition, drawn uniformly at random, one cluster after another, and all edges between
// them.
//
// A cluster without vertices is drawn like any other, so a sample can be empty. If there are fewer clusters than PerSample,
// a sample has them all.
type ClusterGCN struct {
	rootless
	Clusters  *app.Clusters `json:"clusters"`   // the partition
	PerSample int           `json:"per_sample"` // clusters per sample, 1 to 2^28
	lists     *app.ClusterLists
}

// Name is "ClusterGCN".
func (a *ClusterGCN) Name() string { return "ClusterGCN" }

// Check returns an error if the partition is invalid or PerSample is out of range.
func (a *ClusterGCN) Check() error {
	if err := a.Clusters.Check(); err != nil {
		return err
	}
	return checkDraws("per_sample", a.PerSample)
}

// Bind lists the vertices of each cluster. The lists are cached with the partition.
func (a *ClusterGCN) Bind(g *graph.Graph) (app.App, error) {
	lists, err := a.Clusters.Of(g)
	if err != nil {
		return nil, err
	}
	return &ClusterGCN{Clusters: a.Clusters, PerSample: a.PerSample, lists: lists}, nil
}

// Lists returns the vertices of each cluster. The app must be bound.
func (a *ClusterGCN) Lists() *app.ClusterLists { return a.lists }

// Selector is Permute.
func (a *ClusterGCN) Selector() string { return app.FanoutSelector(false, app.No) }

// Expect returns the vertices of PerSample clusters of mean size. The rows of all vertices are read.
func (a *ClusterGCN) Expect(_ int, on app.Size) app.Expected {
	vertices := float64(on.Vertices)
	switch {
	case a.Clusters.IDs != nil:
		vertices = float64(len(a.Clusters.IDs))
	case on.Vertices == 0:
		vertices = math.Inf(1)
	}
	clusters := max(1, a.Clusters.Number())
	n := vertices / float64(clusters) * float64(min(a.PerSample, clusters))
	return app.Expected{Vertices: n, Operations: n * (1 + on.Degree())}
}

// Sample draws the clusters by Permute under DrawKey.
func (a *ClusterGCN) Sample(g *graph.Graph, key rng.Key, _ []uint32, row app.Row) app.Row {
	everything := index.Candidates{N: uint64(a.lists.Count())}
	for _, c := range app.Choices(everything, app.DrawKey(key), uint64(a.PerSample), false, app.No) {
		for _, v := range a.lists.Of(c) {
			row = row.Add(v, graph.NoEdge)
			row.Parents = append(row.Parents, -1)
		}
	}
	return app.Induce(g, row.OneStep())
}

// Draws returns PerSample; clusters are drawn without replacement.
func (a *ClusterGCN) Draws() (n int, replace bool) { return a.PerSample, false }

var _ app.ClusterDraws = (*ClusterGCN)(nil)

package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// ClusterGCN takes the vertices of PerSample different clusters of a partition, one cluster behind the other, and all edges
// between them (Cluster-GCN, Chiang et al., KDD'19). A cluster without vertices is one all the same.
type ClusterGCN struct {
	rootless
	Clusters  *Clusters `json:"clusters"`
	PerSample int       `json:"per_sample"`
	lists     *ClusterLists
}

// Name is "ClusterGCN".
func (a *ClusterGCN) Name() string { return "ClusterGCN" }

// Check refuses a number of clusters below 1.
func (a *ClusterGCN) Check() error {
	if err := a.Clusters.check(); err != nil {
		return err
	}
	return checkDraws("per_sample", a.PerSample)
}

// Bind finds the clusters' vertices, which are kept with the app.
func (a *ClusterGCN) Bind(g *graph.Graph) (App, error) {
	lists, err := a.Clusters.of(g)
	if err != nil {
		return nil, err
	}
	return &ClusterGCN{Clusters: a.Clusters, PerSample: a.PerSample, lists: lists}, nil
}

// Lists gives the clusters' vertices, of a bound app.
func (a *ClusterGCN) Lists() *ClusterLists { return a.lists }

// Selector is Permute.
func (a *ClusterGCN) Selector() string { return fanoutSelector(false, No) }

// Expect returns the vertices of clusters of mean size, whose rows are read.
func (a *ClusterGCN) Expect(_ int, on Size) Expected {
	vertices := float64(on.Vertices)
	switch {
	case a.Clusters.IDs != nil:
		vertices = float64(len(a.Clusters.IDs))
	case on.Vertices == 0:
		vertices = math.Inf(1)
	}
	clusters := max(1, a.Clusters.number())
	n := vertices / float64(clusters) * float64(min(a.PerSample, clusters))
	return Expected{n, n * (1 + on.Degree())}
}

// Sample draws the clusters with the words of DrawKey.
func (a *ClusterGCN) Sample(g *graph.Graph, key rng.Key, _ []uint32, row Row) Row {
	everything := index.Candidates{N: uint64(a.lists.Count())}
	for _, c := range choices(everything, DrawKey(key), uint64(a.PerSample), false, No) {
		for _, v := range a.lists.Of(c) {
			row = row.Add(v, graph.NoEdge)
			row.Parents = append(row.Parents, -1)
		}
	}
	return induce(g, row.oneStep())
}

package app

import (
	"encoding/json"
	"fmt"
	"sync"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// Clusters is a partition of the vertices of a graph, either given by IDs or random. It caches the lists of the graph for
// which it was last used. Threads may share it.
type Clusters struct {
	IDs   []uint32 // the cluster of each vertex, less than the number of vertices; nil for random clusters
	Count int      // the number of random clusters, 1 to 2^28
	Seed  uint64   // of random clusters: vertex v is in Below(NewStream(Seed, rng.Clusters).Key(v).Word(0), Count)

	mu    sync.Mutex
	known *ClusterLists
}

// UnmarshalJSON reads {"count": 10, "seed": 0}, or {"ids": array} with the address of uint32 values, which are copied.
func (c *Clusters) UnmarshalJSON(text []byte) error {
	var given struct {
		Count int         `json:"count"`
		Seed  uint64      `json:"seed"`
		IDs   graph.Array `json:"ids"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	c.Count, c.Seed = given.Count, given.Seed
	if !given.IDs.Given() {
		return nil
	}
	ids, err := graph.Elements[uint32](given.IDs)
	c.IDs = append([]uint32{}, ids...)
	return err
}

// String describes the partition without its ids.
func (c *Clusters) String() string {
	if c.IDs != nil {
		return fmt.Sprintf("of %d vertices", len(c.IDs))
	}
	return fmt.Sprintf("%d, seed %d", c.Count, c.Seed)
}

// Check returns an error if the partition is invalid for every graph.
func (c *Clusters) Check() error {
	if c == nil || c.IDs == nil && (c.Count < 1 || c.Count > MaxWidth) {
		count := 0
		if c != nil {
			count = c.Count
		}
		return refuse.Value("clusters = %d: expected from 1 to %d", count, MaxWidth)
	}
	for v, id := range c.IDs {
		if uint64(id) >= uint64(len(c.IDs)) {
			return refuse.Value("clusters[%d] = %d: expected from 0 to %d, for %d vertices", v, id, len(c.IDs)-1, len(c.IDs))
		}
	}
	return nil
}

// Of returns the vertices of each cluster of g.
func (c *Clusters) Of(g *graph.Graph) (*ClusterLists, error) {
	n := g.NumVertices()
	if c.IDs != nil && len(c.IDs) != n {
		return nil, refuse.Value("clusters has %d elements, but the graph has %d vertices: expected one per vertex", len(c.IDs), n)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known != nil && len(c.known.vertices) == n {
		return c.known, nil
	}
	ids, count := c.IDs, c.Count
	if ids == nil {
		ids = make([]uint32, n)
		stream := rng.NewStream(c.Seed, rng.Clusters)
		for v := range ids {
			id, _ := rng.Below(stream.Key(uint64(v)).Word(0), uint64(count))
			ids[v] = uint32(id)
		}
	} else {
		count = c.Number()
	}
	c.known = listClusters(ids, count)
	return c.known, nil
}

// Number returns the number of clusters, including those without vertices.
func (c *Clusters) Number() int {
	if c.IDs == nil {
		return c.Count
	}
	most := -1
	for _, id := range c.IDs {
		most = max(most, int(id))
	}
	return most + 1
}

// ClusterLists are the vertices of each cluster, in ascending order.
type ClusterLists struct {
	ends     []uint32 // the end of each cluster in vertices
	vertices []uint32
}

// Count returns the number of clusters.
func (l *ClusterLists) Count() int { return len(l.ends) }

// Of returns the vertices of a cluster. The caller must not change them.
func (l *ClusterLists) Of(cluster uint64) []uint32 {
	first := uint32(0)
	if cluster > 0 {
		first = l.ends[cluster-1]
	}
	return l.vertices[first:l.ends[cluster]]
}

// Arrays returns the end of each cluster in the vertices of all, and those vertices. The caller must not change them.
func (l *ClusterLists) Arrays() (ends, vertices []uint32) { return l.ends, l.vertices }

// listClusters sorts the vertices by cluster, with a counting sort.
func listClusters(ids []uint32, count int) *ClusterLists {
	l := &ClusterLists{make([]uint32, count), make([]uint32, len(ids))}
	// 1. Count the vertices of each cluster, one place further on.
	for _, id := range ids {
		if int(id)+1 < count {
			l.ends[id+1]++
		}
	}
	// 2. Prefix sums: ends[id] is now the first place of cluster id.
	for i := 1; i < count; i++ {
		l.ends[i] += l.ends[i-1]
	}
	// 3. Place the vertices. ends[id] is the next free place of cluster id, and finally its end.
	for v, id := range ids {
		l.vertices[l.ends[id]] = uint32(v)
		l.ends[id]++
	}
	return l
}

package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// PageRank estimates personalised PageRank (Page et al. 1999) from the visits of independent random walks (Fogaras et
// al. 2005; Avrachenkov et al. 2007). The score of a vertex is Stop * N, N being the mean number of visits of a walk to the
// vertex. Walk defines the walk.
type PageRank struct {
	Stop     float64  `json:"stop"`     // probability of stopping after each visit, MinStop to 1
	Sinks    Sinks    `json:"sinks"`    // what a walk does at a dead end
	Weighted Weighted `json:"weighted"` // not Computed
}

// Sinks selects what a walk does at a vertex without an edge of positive weight.
type Sinks string

// The values of Sinks.
const (
	SinkRestarts Sinks = "restart" // it continues from the seed nodes of the row, as in networkx.pagerank; also the zero value
	SinkStops    Sinks = "stop"    // it ends there, as if the sink had a single edge, to itself
)

// MinStop is the smallest stop probability. A walk has 1/Stop vertices on average.
const MinStop = 1e-6

// MaxRowVisits is the largest expected number of visits of a row, so that its counts fit in 32 bits.
const MaxRowVisits = 1 << 31

// Name is "personalized_pagerank", the name of the function in the Python package.
func (a *PageRank) Name() string { return "personalized_pagerank" }

// Check returns an error if a parameter is out of range.
func (a *PageRank) Check() error {
	if !(a.Stop >= MinStop && a.Stop <= 1) {
		return refuse.Value("stop = %v: expected a probability from %v to 1", a.Stop, MinStop)
	}
	if a.Sinks != "" && a.Sinks != SinkRestarts && a.Sinks != SinkStops {
		return refuse.Value("sinks = %q: expected \"restart\" or \"stop\"", string(a.Sinks))
	}
	if a.Weighted == Computed {
		return refuse.Value("weighted = \"computed\": expected \"auto\", True or False")
	}
	return nil
}

// Weighs reports whether the walks follow g's weights.
func (a *PageRank) Weighs(g *graph.Graph) bool { return a.Weighted.Follows(g) }

// Bind returns the app as it runs on g, with "auto" and defaults resolved.
func (a *PageRank) Bind(g *graph.Graph) (*PageRank, error) {
	w, err := a.Weighted.Bind(g)
	bound := &PageRank{a.Stop, a.Sinks, w}
	if bound.Sinks == "" {
		bound.Sinks = SinkRestarts
	}
	return bound, err
}

// Threshold is Stop in units of 2^-32. A walk stops if the fraction of a step is below it.
func (a *PageRank) Threshold() uint64 { return ThresholdOf(a.Stop) }

// RowWalks returns the stream of the walks of the row with an id: walk w has the key Key(w). Its purpose makes the keys
// different from those of samples with the same seed, such as KHop's, which have the same form.
func RowWalks(seed, id uint64) rng.Stream { return rng.NewStream(seed, rng.Scores).Key(id).Stream(0) }

// Walk is the serial definition. It appends the vertices that one walk of a row visits. Step 0 chooses one of the seed
// nodes, a later step an edge of the previous vertex. At a dead end the walk ends (SinkStops), or chooses among the seed
// nodes again (SinkRestarts). After every step, step 0 included, it stops with probability Stop. Step s takes the word at
// Slot(s, 0), as in PPR.
func (a *PageRank) Walk(g *graph.Graph, p Personalization, row int, key rng.Key, visits []uint32) []uint32 {
	v := graph.None
	for s := uint64(0); ; s++ {
		word := key.Word(rng.Slot(s, 0))
		fraction := rng.Second(word)
		next, _ := Choose(g, v, word, a.Weighted)
		switch {
		case next == graph.None && s > 0 && a.Sinks == SinkStops:
			return visits
		case next == graph.None:
			next = p.Choose(row, word)
		case a.Weighted == No:
			_, fraction = rng.Below(word, g.Degree(v)) // which the choice of an edge left unused
		}
		visits = append(visits, next)
		if uint64(fraction) < a.Threshold() {
			return visits
		}
		v = next
	}
}

// Unit returns the score of one visit to v, multiplied by 2^32 and the number of walks. It is Threshold, or 2^32 at a sink
// where walks end: with its edge to itself, a walk would visit the sink 1/Stop times on average.
func (a *PageRank) Unit(g *graph.Graph, v uint32) uint64 {
	if a.Ends(g, v) {
		return 1 << 32
	}
	return a.Threshold()
}

// Ends reports whether walks end at v because there is no edge to take.
func (a *PageRank) Ends(g *graph.Graph, v uint32) bool {
	if a.Sinks != SinkStops {
		return false
	}
	first, end := g.Row(v)
	if a.Weighted != Yes {
		return first == end
	}
	for _, bias := range g.Biases[first:end] {
		if bias > 0 {
			return false
		}
	}
	return true
}

// Visits has the counts of a vertex in a row.
type Visits struct {
	All   uint32 // visits of all walks
	Walks uint32 // walks with at least one
}

// Row counts the visits of count walks of a row, walk by walk.
func (a *PageRank) Row(g *graph.Graph, p Personalization, row int, walks rng.Stream, count uint64) map[uint32]Visits {
	counts := map[uint32]Visits{}
	for w := range count {
		visited := map[uint32]bool{}
		for _, v := range a.Walk(g, p, row, walks.Key(w), nil) {
			c := counts[v]
			c.All++
			if !visited[v] {
				c.Walks++
			}
			visited[v], counts[v] = true, c
		}
	}
	return counts
}

// Personalization has the seed nodes of each row: one vertex, or a weighted set from which each walk draws one.
type Personalization struct {
	Vertices []uint32     // one per row; with Sets, the members of all sets, set after set
	Sets     *graph.Graph // vertex r has edges to the indices in Vertices of the members of set r; nil: one vertex per row
	Weighted Weighted     // whether members are drawn by weight: Yes or No
	Rows     int
}

// Choose returns the vertex that a word selects for a row.
func (p Personalization) Choose(row int, word uint64) uint32 {
	if p.Sets == nil {
		return p.Vertices[row]
	}
	place, _ := Choose(p.Sets, uint32(row), word, p.Weighted)
	return p.Vertices[place]
}

// Single returns the vertex at which all walks of a row begin, if there is only one.
func (p Personalization) Single(row int) (uint32, bool) {
	if p.Sets == nil {
		return p.Vertices[row], true
	}
	if members := p.Sets.Neighbors(uint32(row)); len(members) == 1 {
		return p.Vertices[members[0]], true
	}
	return graph.None, false
}

// MaxWalks is the largest number of walks of a row for which its counts fit in 32 bits.
func (a *PageRank) MaxWalks() int64 { return int64(math.Floor(MaxRowVisits * a.Stop)) }

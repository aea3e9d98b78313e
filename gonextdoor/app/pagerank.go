package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// PageRank estimates personalised PageRank (Page et al. 1999) from the visits of independent random walks (Fogaras et
// al. 2005; Avrachenkov et al. 2007). With a the stop probability, N the mean number of visits of a walk to a vertex and
// the walk that Walk defines, the vertex has the score a*N.
type PageRank struct {
	Stop     float64  `json:"stop"`
	Sinks    Sinks    `json:"sinks"`
	Weighted Weighted `json:"weighted"`
}

// Sinks says what a walk does at a vertex without an edge to take.
type Sinks string

// The values of Sinks.
const (
	SinkRestarts Sinks = "restart" // it continues from the row's seeds, as networkx.pagerank does; the zero value means it too
	SinkStops    Sinks = "stop"    // it ends there, as if the sink had a single edge, to itself
)

// MinStop is the least stop probability: walks have 1/Stop vertices in the mean.
const MinStop = 1e-6

// MaxRowVisits bounds the expected visits of a row, so that its counts fit in 32 bits.
const MaxRowVisits = 1 << 31

// Name is "personalized_pagerank", the name of the function in the Python package.
func (a *PageRank) Name() string { return "personalized_pagerank" }

// Check refuses a stop probability outside [MinStop, 1] and unknown names.
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
func (a *PageRank) Weighs(g *graph.Graph) bool { return a.Weighted.follows(g) }

// Bind returns the app as it runs on g, with "auto" and defaults resolved.
func (a *PageRank) Bind(g *graph.Graph) (*PageRank, error) {
	w, err := a.Weighted.bind(g)
	bound := &PageRank{a.Stop, a.Sinks, w}
	if bound.Sinks == "" {
		bound.Sinks = SinkRestarts
	}
	return bound, err
}

// Threshold is Stop in units of 2^-32: a walk stops when its fraction is below.
func (a *PageRank) Threshold() uint64 { return thresholdOf(a.Stop) }

// RowWalks returns the key stream of the walks of the row with an id: walk w has the key Key(w). Its purpose keeps the
// walks apart from samples of the same seed, such as KHop's, whose keys have the same form.
func RowWalks(seed, id uint64) rng.Stream { return rng.NewStream(seed, rng.Scores).Key(id).Stream(0) }

// Walk is the serial definition: it appends the vertices that one walk from the seeds of a row visits. Step 0 chooses
// one of the seeds, a later step an edge of the vertex before. At a sink the walk ends (SinkStops), or chooses among the
// seeds again (SinkRestarts). After every step, step 0 included, it stops with probability Stop. Step s has the word at
// Slot(s, 0), as in PPR.
func (a *PageRank) Walk(g *graph.Graph, p Personalization, row int, key rng.Key, visits []uint32) []uint32 {
	v := graph.None
	for s := uint64(0); ; s++ {
		word := key.Word(rng.Slot(s, 0))
		fraction := rng.Second(word)
		next, _ := choose(g, v, word, a.Weighted)
		switch {
		case next == graph.None && s > 0 && a.Sinks == SinkStops:
			return visits
		case next == graph.None:
			next = p.Choose(row, word)
		case a.Weighted == No:
			_, fraction = rng.Below(word, g.Degree(v)) // the choice of an edge has left it unused
		}
		visits = append(visits, next)
		if uint64(fraction) < a.Threshold() {
			return visits
		}
		v = next
	}
}

// Unit is what one visit to v adds to its score, times 2^32 and the number of walks: the stop probability; or 1 at a
// sink where walks end, which they visit once, however early they would have stopped.
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

// Visits are the counts of a vertex in a row.
type Visits struct {
	All   uint32 // visits of all walks
	Walks uint32 // walks with at least one
}

// Row counts the visits of that many walks from a row's seeds, walk by walk.
func (a *PageRank) Row(g *graph.Graph, p Personalization, row int, walks rng.Stream, count uint64) map[uint32]Visits {
	counts := map[uint32]Visits{}
	for w := range count {
		met := map[uint32]bool{}
		for _, v := range a.Walk(g, p, row, walks.Key(w), nil) {
			c := counts[v]
			c.All++
			if !met[v] {
				c.Walks++
			}
			met[v], counts[v] = true, c
		}
	}
	return counts
}

// Personalization is where the walks of each row begin: at one vertex, or at one of a set in proportion to its weights.
type Personalization struct {
	Vertices []uint32     // one per row; with Sets, the members of all sets, set after set
	Sets     *graph.Graph // row r: edges to the places in Vertices of the members of set r; nil: one vertex per row
	Weighted Weighted     // of the choice of a member: Yes or No
	Rows     int
}

// Choose returns the vertex that a word selects for a row.
func (p Personalization) Choose(row int, word uint64) uint32 {
	if p.Sets == nil {
		return p.Vertices[row]
	}
	place, _ := choose(p.Sets, uint32(row), word, p.Weighted)
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

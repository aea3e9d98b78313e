package app

import (
	"math"
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// Size has the properties of a graph on which the expected work of an app depends. The zero value is an unknown graph.
type Size struct {
	Vertices, Edges int
	Weighted        bool
	Samples         int          // samples of the call, on which depends whether tables pay; 0 if unknown
	Profile         *Profile     // of the rows; if nil, that of graph
	graph           *graph.Graph // nil if unknown
}

// SizeOf returns the size of a graph.
func SizeOf(g *graph.Graph) Size {
	return Size{Vertices: g.NumVertices(), Edges: g.NumEdges(), Weighted: g.Weighted(), graph: g}
}

// WithProfile returns the size with the profile of the graph, as methods see it that need one.
func (s Size) WithProfile() Size {
	s.Profile = s.profile()
	return s
}

// OrderedByLabel reports whether the table of the graph's edges by label has been built.
func (s Size) OrderedByLabel() bool {
	return s.graph != nil && len(index.LabelRowsNow(s.graph).Indices) > 0
}

// Degree returns the mean degree of a vertex, infinite if the graph is unknown.
func (s Size) Degree() float64 {
	if s.Vertices == 0 {
		return math.Inf(1)
	}
	return float64(s.Edges) / float64(s.Vertices)
}

// Neighbor returns the mean degree of the end point of an edge.
func (s Size) Neighbor() float64 {
	if p := s.profile(); p != nil {
		return p.Neighbor
	}
	return s.Degree()
}

// Profile is what the cost model knows of the rows of a graph: statistics of 256 edges and of 64 uniform walks. It is made
// at most once per graph, which takes some 0.1 ms, and only for apps whose work depends on it.
type Profile struct {
	// Neighbor is the mean degree of the end point of an edge. Hubs make it larger than that of a vertex.
	Neighbor float64
	// Degrees are the mean degrees of the end points of each sixteenth of the edges, if these are sorted by it.
	Degrees []float64
	// Ends[d] is the share of edges whose end point has d edges.
	Ends [16]float64
	// Alive[i] is the share of walks that take step i, the first being step 0; Alive[0] is 1. Later steps lose walks at the
	// rate of the second half, unless there are fewer than 64: then no walk is left. Nil: no walk ends.
	Alive []float64
	// Labels holds the share of each label among the edges; nil if edges have none.
	Labels map[int32]float64
}

// Numbers of edges and walks of a profile. If all walks take profileTrial steps, sinks are out of reach.
const (
	profileEdges = 256
	profileParts = 16 // of Degrees
	profileWalks = 64
	profileSteps = 64
	profileTrial = 16
)

// profiles caches the profile with its graph.
var profiles = graph.NewKey[*Profile](nil)

// profileOf returns the profile of a graph. Rows need not have been validated.
func profileOf(g *graph.Graph) *Profile {
	g = g.Base()
	p, _ := profiles.Get(g, func() (*Profile, error) {
		p := &Profile{}
		p.readEdges(g)
		if g.HasSinks() {
			p.Alive = survivors(g)
		}
		return p, nil
	})
	return p
}

// readEdges fills in the statistics of edges: one edge, drawn at random, of each of 256 equal parts.
func (p *Profile) readEdges(g *graph.Graph) {
	n := min(g.NumEdges(), profileEdges)
	each, key := 1/float64(max(n, 1)), rng.NewStream(0, rng.Choices).Key(1)
	if g.Labels != nil {
		p.Labels = map[int32]float64{}
	}
	degrees := make([]float64, n)
	for i := range n {
		part := uint64(g.NumEdges() / n)
		within, _ := rng.Below(key.Word(uint64(i)), part)
		position := uint64(i)*part + within
		if p.Labels != nil {
			p.Labels[g.Labels[position]] += each
		}
		first, end := rowOf(g, g.Indices[position])
		degree := end - first
		degrees[i] = float64(degree)
		p.Neighbor += float64(degree) * each
		if degree < uint64(len(p.Ends)) {
			p.Ends[degree] += each
		}
	}
	slices.Sort(degrees)
	for lo, parts := 0, min(n, profileParts); parts > 0; parts-- {
		hi := lo + (n-lo)/parts
		sum := 0.0
		for _, d := range degrees[lo:hi] {
			sum += d
		}
		p.Degrees = append(p.Degrees, sum/float64(hi-lo))
		lo = hi
	}
}

// Distinct returns the expected number of different vertices among the end points of edges that are drawn uniformly at random, and
// the number of edges in their rows.
func (s Size) Distinct(draws float64) (vertices, edges float64) {
	degrees := []float64{s.Degree()}
	if p := s.profile(); p != nil {
		if degrees[0] = p.Neighbor; len(p.Degrees) > 0 {
			degrees = p.Degrees
		}
	}
	each := float64(s.Edges) / float64(len(degrees)) // edges whose end points have about that degree
	for _, d := range degrees {
		d = max(1, d)
		found := each * -math.Expm1(-draws*d/float64(max(1, s.Edges)))
		vertices, edges = vertices+found/d, edges+found
	}
	return vertices, edges
}

// survivors returns Profile.Alive of uniform walks from evenly spaced vertices that have edges.
func survivors(g *graph.Graph) []float64 {
	// 1. The roots.
	walks := make([]uint32, 0, profileWalks)
	for i := range profileWalks {
		v := uint32(uint64(g.NumVertices()) * uint64(i) / profileWalks)
		for range profileWalks { // past sinks
			if first, end := rowOf(g, v); end > first {
				walks = append(walks, v)
				break
			}
			v++
		}
	}
	// 2. The steps: walks that have ended are dropped.
	roots, key := float64(len(walks)), rng.NewStream(0, rng.Choices).Key(0)
	alive := make([]float64, 0, profileSteps)
	for step := range profileSteps {
		if step == profileTrial && float64(len(walks)) == roots {
			return nil
		}
		if len(walks) == 0 {
			break
		}
		alive = append(alive, float64(len(walks))/roots)
		next := walks[:0]
		for i, v := range walks {
			first, end := rowOf(g, v)
			Pick, _ := rng.Below(key.Word(uint64(step*profileWalks+i)), end-first)
			u := g.Indices[first+Pick]
			if first, end := rowOf(g, u); end > first {
				next = append(next, u)
			}
		}
		walks = next
	}
	return alive
}

// rowOf returns the row of a vertex, or an empty one if the graph has no such row.
func rowOf(g *graph.Graph, v uint32) (first, end uint64) {
	if int64(v) >= int64(g.NumVertices()) {
		return 0, 0
	}
	if first, end = g.Row(v); first > end || end > uint64(g.NumEdges()) {
		return 0, 0
	}
	return first, end
}

// profile returns the profile of the rows, nil if the graph is unknown.
func (s Size) profile() *Profile {
	if s.Profile == nil && s.graph != nil {
		return profileOf(s.graph)
	}
	return s.Profile
}

// Steps returns the expected number of steps of a uniform walk of at most length steps, which stops with a probability after
// each of them, and at sinks.
func (s Size) Steps(length, stop float64) float64 {
	p := s.profile()
	if p == nil || p.Alive == nil {
		return geometric(stop, length)
	}
	steps, share, n := 0.0, 1.0, len(p.Alive)
	for i := range n {
		if float64(i) >= length {
			return steps
		}
		steps, share = steps+share*p.Alive[i], share*(1-stop)
	}
	if n < profileSteps { // all walks have ended
		return steps
	}
	last, half := p.Alive[n-1], p.Alive[n/2]
	rate := math.Pow(last/half, 1/float64(n-1-n/2)) * (1 - stop)
	return steps + share*last*geometric(1-rate, length-float64(n))
}

// LabelSteps returns the expected number of steps of a walk whose steps follow the given labels, repeated.
func (s Size) LabelSteps(labels []int32, length, stop float64) float64 {
	p := s.profile()
	if p == nil || p.Labels == nil {
		return s.Steps(length, stop)
	}
	rate := 1.0 // of walks that find an edge of the label, per step
	for _, label := range labels {
		fails := 0.0
		for degree, share := range p.Ends {
			fails += share * math.Pow(1-min(1, p.Labels[label]), float64(degree))
		}
		rate *= math.Pow(1-min(1, fails), 1/float64(len(labels)))
	}
	return geometric(1-rate*(1-stop), length)
}

// geometric returns the expected number of steps, at most length, of a walk that ends with a probability after each of them.
func geometric(ends, length float64) float64 {
	if ends <= 0 {
		return length
	}
	return (1 - math.Pow(1-ends, length)) / ends
}

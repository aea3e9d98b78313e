package file

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/graph/owner"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// Conversion writes a graph whose edges arrive in blocks to a folder, or to the folder of a partitioned graph. The blocks are
// those that a build.RowCounter counted. The arcs of each part are stored on disk first, so that the rows of one part at a time
// are in memory. A Conversion is used by one goroutine; call Close or Abandon at the end.
type Conversion struct {
	TimeUnit string // as graph.Graph.TimeUnit
	Alias    bool   // whether the folder of a weighted graph has alias tables; set before Add, for parts by Partitioning

	division
	dir      string
	names    graph.Names
	whole    *Writer          // of an ordinary folder, or nil
	parts    *PartitionWriter // or nil
	mirrored symmetry
	accepted bool // other processes have built the parts
}

// ConvertWhole starts a folder of an ordinary graph. Its rows are built in ranges that take at most budget bytes, or less than
// the memory that is available if budget is 0. The job counts bytes.
func ConvertWhole(folder string, c *build.RowCounter, names graph.Names, budget int64, j *job.Job) (*Conversion, error) {
	if budget <= 0 {
		budget = max(minBudget, offheap.Available()/3)
	}
	w, err := NewWriter(folder, c.NumVertices(), j)
	if err != nil {
		return nil, err
	}
	w.Name(names)
	const perArc = 4 + 8 + 4 + 4 + 8 + 4 // all arrays, and scratch memory of large rows
	ranges := min(int64(c.Arcs)*perArc/budget+1, owner.MaxParts)
	d := divide(c, Partitioning{Owner: owner.RangesOf(c.Degrees, int(ranges))}, w.to.dir, "", j)
	return &Conversion{division: d, dir: w.to.dir, names: names, whole: w}, nil
}

// ConvertParts starts the folder of a partitioned graph. The job counts bytes.
func ConvertParts(folder string, c *build.RowCounter, names graph.Names, p Partitioning, j *job.Job) (*Conversion, error) {
	if p.Owner.NumVertices() != c.NumVertices() {
		return nil, refuse.Value("by has the parts of %d vertices: expected %d, one per vertex", p.Owner.NumVertices(), c.NumVertices())
	}
	w, err := NewPartitionWriter(folder, p, j)
	if err != nil {
		return nil, err
	}
	return &Conversion{division: divide(c, p, w.to.dir, "", j), dir: w.to.dir, names: names, parts: w}, nil
}

// Add stores the arcs of a block.
func (s *Conversion) Add(b build.EdgeBlock) error {
	err := s.store(b)
	if err != nil {
		s.Abandon()
	}
	return err
}

// Close builds and writes the rows of all parts, unless others have built them, and moves the folder to its target.
func (s *Conversion) Close() error {
	defer s.Abandon()
	if s.accepted {
		if err := s.removeUnfinished(); err != nil {
			return err
		}
		return s.parts.Close(s.facts(), s.counter.Degrees, s.names)
	}
	for part := range s.owner.Parts() {
		if err := s.writePart(part); err != nil {
			return err
		}
	}
	if s.whole != nil {
		s.whole.record.TimeUnit, s.whole.record.NoEdgeIDs = s.TimeUnit, s.NoEdgeIDs
		return s.whole.Close()
	}
	if len(s.hot) > 0 {
		if err := s.writeHot(); err != nil {
			return err
		}
	}
	return s.parts.Close(s.facts(), s.counter.Degrees, s.names)
}

// writeHot builds and writes the hot rows.
func (s *Conversion) writeHot() error {
	number := s.owner.Parts()
	rows, err := s.build(number, s.spills[number].Each)
	if err != nil {
		return err
	}
	defer rows.Close()
	return s.parts.WriteHot(s.hot, rows)
}

// writePart builds and writes the rows of a part.
func (s *Conversion) writePart(part int) error {
	rows, err := s.build(part, s.spills[part].Each)
	if err != nil {
		return err
	}
	defer rows.Close()
	if s.whole != nil {
		of := Rows{
			Indptr: rows.Indptr, Indices: rows.Indices, Biases: rows.Biases, Scales: rows.Scales, EdgeIDs: rows.EdgeIDs,
			EdgeIDs64: rows.EdgeIDs64, Labels: rows.Labels, Times: rows.Times,
		}
		if s.Alias && rows.Weighted() {
			words, err := index.AliasWords(rows, graph.Options{Job: s.job})
			if err != nil {
				return err
			}
			of.Alias = words[:len(words)-graph.AliasWords]
		}
		return s.whole.AppendRows(of)
	}
	s.mirrored.add(rows, s.vertices(part))
	return s.parts.WritePart(part, rows)
}

// facts returns the facts of the whole graph.
func (s *Conversion) facts() GraphFacts {
	c := s.counter
	f := GraphFacts{
		Vertices: int64(c.NumVertices()), Edges: int64(c.Arcs), Weighted: c.Largest != nil, Labelled: c.Labelled, Timed: c.Timed,
		Symmetric: s.mirrored == symmetry{}, TimeUnit: s.TimeUnit, NoEdgeIDs: s.NoEdgeIDs,
	}
	for _, d := range c.Degrees {
		f.MaxDegree = max(f.MaxDegree, uint64(d))
		f.Sinks = f.Sinks || d == 0
	}
	top := math.MinInt
	for _, w := range c.Largest {
		if w > 0 {
			top = max(top, int(graph.UnitOf(w).Scale))
		}
	}
	if top > math.MinInt {
		f.MaxScale = int16(top)
	}
	if c.Timed {
		if c.Edges > 0 {
			f.TimeSpan = uint64(c.LastTime) - uint64(c.FirstTime)
		}
		f.MeanGap = index.MeanGapOf(f.TimeSpan, uint64(f.Vertices), uint64(f.Edges))
	}
	return f
}

// Abandon removes everything that was written. After Close it does nothing.
func (s *Conversion) Abandon() {
	if s.whole != nil {
		s.whole.Abandon()
	}
	if s.parts != nil {
		s.parts.Abandon()
	}
}

// symmetry decides whether a graph has the reverse of every edge, from rows in any order: it is the difference between the sum
// of a 128-bit hash over the distinct edges and that over their reverses. The difference is zero if the graph is symmetric,
// and with probability 2^-128 if it is not.
type symmetry [2]uint64

// add adds sorted rows; row i is that of vertices[i].
func (s *symmetry) add(rows *graph.Graph, vertices []uint32) {
	for i, u := range vertices {
		last := graph.None
		for _, v := range rows.Neighbors(uint32(i)) {
			if v != last {
				there, back := uint64(u)<<32|uint64(v), uint64(v)<<32|uint64(u)
				s[0] += rng.Mix(there+rng.Gamma) - rng.Mix(back+rng.Gamma)
				s[1] += rng.Mix(^there*rng.Gamma) - rng.Mix(^back*rng.Gamma)
			}
			last = v
		}
	}
}

package file

import (
	"fmt"
	"math"
	"path/filepath"

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
	TimeUnit  string // as graph.Graph.TimeUnit
	NoEdgeIDs bool   // whether the folder has no ids of edges; set before Add
	Alias     bool   // whether the folder of a weighted graph has alias tables; set before Add, for parts by Partitioning

	counter  *build.RowCounter
	owner    *owner.Map
	hot      []uint32
	names    graph.Names
	whole    *Writer          // of an ordinary folder, or nil
	parts    *PartitionWriter // or nil
	dir      string           // for the spills
	spills   []spill          // per part, and of the hot rows
	rows     []uint32         // the row of each vertex in its part; nil: ranges
	hotRows  map[uint32]uint32
	mirrored symmetry
	job      *job.Job
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
	s := &Conversion{counter: c, owner: owner.RangesOf(c.Degrees, int(ranges)), names: names, whole: w, dir: w.to.dir, job: j}
	return s, s.start()
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
	s := &Conversion{counter: c, owner: p.Owner, hot: p.Hot, names: names, parts: w, dir: w.to.dir, job: j}
	return s, s.start()
}

// start prepares the spills.
func (s *Conversion) start() error {
	n := s.owner.Parts() + 1
	s.spills = make([]spill, n)
	for i := range s.spills {
		s.spills[i] = spill{path: filepath.Join(s.dir, fmt.Sprintf("part-%05d%s", i, spillSuffix)), limit: max(64, spillArcs/n)}
	}
	if s.owner.Bounds == nil {
		s.rows = make([]uint32, s.owner.NumVertices())
		next := make([]uint32, s.owner.Parts())
		for v := range s.rows {
			part := s.owner.Owner(uint32(v))
			s.rows[v] = next[part]
			next[part]++
		}
	}
	s.hotRows = make(map[uint32]uint32, len(s.hot))
	for i, v := range s.hot {
		s.hotRows[v] = uint32(i)
	}
	return nil
}

// Add stores the arcs of a block.
func (s *Conversion) Add(b build.EdgeBlock) error {
	err := s.counter.EachArc(b, func(l *build.ArcList) error {
		if err := s.job.Err(); err != nil {
			return err
		}
		for i, v := range l.Rows {
			part := s.owner.Owner(v)
			row := v
			if s.rows != nil {
				row = s.rows[v]
			} else {
				row -= s.owner.Bounds[part]
			}
			if err := s.spills[part].Add(l, i, row); err != nil {
				return err
			}
			if hot, is := s.hotRows[v]; is {
				if err := s.spills[len(s.spills)-1].Add(l, i, hot); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		s.Abandon()
	}
	return err
}

// Close builds and writes the rows of all parts, and moves the folder to its target.
func (s *Conversion) Close() error {
	defer s.Abandon()
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
		rows, err := s.build(len(s.spills)-1, s.hot)
		if err != nil {
			return err
		}
		err = s.parts.WriteHot(s.hot, rows)
		rows.Close()
		if err != nil {
			return err
		}
	}
	return s.parts.Close(s.facts(), s.counter.Degrees, s.names)
}

// writePart builds and writes the rows of a part.
func (s *Conversion) writePart(part int) error {
	vertices := s.owner.Vertices(part)
	rows, err := s.build(part, vertices)
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
	s.mirrored.add(rows, vertices)
	return s.parts.WritePart(part, rows)
}

// build builds rows from a spill.
func (s *Conversion) build(number int, vertices []uint32) (*graph.Graph, error) {
	if vertices == nil {
		vertices = []uint32{} // nil means all
	}
	p, err := build.NewRowPlacer(s.counter, vertices)
	if err != nil {
		return nil, err
	}
	if err := s.spills[number].Each(p.Place); err != nil {
		p.Free()
		return nil, err
	}
	rows, err := p.Finish(true, 0, s.job)
	if err == nil && s.NoEdgeIDs {
		rows.EdgeIDs, rows.EdgeIDs64, rows.NoEdgeIDs = nil, nil, true
	}
	return rows, err
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

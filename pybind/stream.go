package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/file"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/owner"
	"gonextdoor/gonextdoor/refuse"
)

// edgeStream is a graph that is built from blocks of edges, which are passed twice. One thread uses it at a time.
type edgeStream struct {
	counter    *build.RowCounter
	placer     *build.RowPlacer  // of a graph in memory; nil before StreamPlace
	conversion *file.Conversion  // to a folder; nil before StreamConvert
	share      *file.ShareWriter // of a conversion in another process; nil before StreamStore
}

// edgeBlock is the JSON of a block of edges.
type edgeBlock struct {
	First     uint64 `json:"first"`
	Src       array  `json:"src"`
	Dst       array  `json:"dst"`
	Weights   array  `json:"weights"`
	Labels    array  `json:"labels"`
	Times     array  `json:"times"`
	Symmetric bool   `json:"symmetric"`
	Limit     uint64 `json:"limit"`
}

// conversionSpec is the JSON of a conversion to a folder.
type conversionSpec struct {
	Folder string  `json:"folder"`
	Budget int64   `json:"budget"`
	Parts  int     `json:"parts"` // 0: an ordinary folder
	By     string  `json:"by"`
	Owners array   `json:"owners"`
	Hot    float64 `json:"hot"`
	IDs    bool    `json:"edge_ids"`     // whether the folder has the ids of the edges
	Alias  bool    `json:"alias_tables"` // whether it has alias tables
	names
}

// block returns the block for package build.
func (b *edgeBlock) block() build.EdgeBlock {
	return build.EdgeBlock{
		First: b.First, Sources: b.Src.array(), Targets: b.Dst.array(), Weights: b.Weights.array(), Labels: b.Labels.array(),
		Times: b.Times.array(),
	}
}

// StreamNew starts a stream. spec has a block without edges, which tells the attributes, whether to add reverses, and the limit
// of ids, as JSON.
func StreamNew(spec string) (handle int64, err error) {
	defer guard(&err)
	var b edgeBlock
	if err := json.Unmarshal([]byte(spec), &b); err != nil {
		return 0, err
	}
	return streams.add(&edgeStream{counter: build.NewRowCounter(b.block(), b.Symmetric, b.Limit)}), nil
}

// StreamCount counts a block in the first pass. It returns false if an id does not fit; the stream is then of no further use.
func StreamCount(handle int64, spec string) (fits bool, err error) {
	defer guard(&err)
	s, err := streams.get(handle)
	if err != nil {
		return false, err
	}
	var b edgeBlock
	if err := json.Unmarshal([]byte(spec), &b); err != nil {
		return false, err
	}
	return s.counter.Count(b.block())
}

// StreamNumber ends the first pass. It writes 4 int64 to out: the numbers of vertices and edges, the address of the degrees,
// and 1 if the ids that occur were numbered.
func StreamNumber(handle int64, out uintptr) (n int64, err error) {
	defer guard(&err)
	s, err := streams.get(handle)
	if err != nil {
		return 0, err
	}
	if err := s.counter.Number(); err != nil {
		return 0, err
	}
	named := int64(0)
	if s.counter.Names != nil {
		named = 1
	}
	fields := []int64{int64(s.counter.NumVertices()), int64(s.counter.Arcs), address(s.counter.Degrees), named}
	return int64(copy(view[int64](out, int64(len(fields))), fields)), nil
}

// StreamPlace prepares the second pass for a graph in memory.
func StreamPlace(handle int64) (known bool, err error) {
	defer guard(&err)
	s, err := streams.get(handle)
	if err != nil {
		return false, err
	}
	s.placer, err = build.NewRowPlacer(s.counter, nil)
	return err == nil, err
}

// StreamConvert prepares the second pass for a folder. spec has the folder, the memory for a range of rows (0: a share of the
// free memory), the names, and for a partitioned graph the number of parts and how they are assigned, as JSON.
func StreamConvert(handle int64, spec string, job uintptr) (known bool, err error) {
	defer guard(&err)
	s, err := streams.get(handle)
	if err != nil {
		return false, err
	}
	var c conversionSpec
	if err := json.Unmarshal([]byte(spec), &c); err != nil {
		return false, err
	}
	if c.Alias && s.counter.Largest == nil {
		return false, refuse.Value("alias_tables = True: no column has weights; leave it out")
	}
	named := s.named(c.names)
	if c.Parts == 0 {
		s.conversion, err = file.ConvertWhole(c.Folder, s.counter, named, c.Budget, jobAt(job))
	} else {
		var p file.Partitioning
		if p, err = s.partitioning(c); err == nil {
			s.conversion, err = file.ConvertParts(c.Folder, s.counter, named, p, jobAt(job))
		}
	}
	if err != nil {
		return false, err
	}
	s.conversion.NoEdgeIDs, s.conversion.Alias = !c.IDs, c.Alias
	return true, nil
}

// named returns the names of the vertices: those of the caller, or the ids that the counter numbered.
func (s *edgeStream) named(n names) graph.Names {
	if made := n.copied(s.counter.NumVertices()); made.Ints != nil || made.Offsets != nil {
		return made
	}
	return graph.Names{Ints: s.counter.Names}
}

// partitioning assigns the vertices of a stream, which has counted the degrees.
func (s *edgeStream) partitioning(c conversionSpec) (p file.Partitioning, err error) {
	p.By, p.Alias = c.By, c.Alias
	if err := owner.CheckParts(c.Parts); err != nil {
		return p, err
	}
	switch {
	case c.Owners.Dtype != "":
		p.Owner, err = ownersIn(c.Owners, c.Parts)
	case c.By == "ranges":
		p.Owner = owner.RangesOf(s.counter.Degrees, c.Parts)
	case c.By == "hash":
		p.Owner = owner.Hash(s.counter.NumVertices(), c.Parts)
	default:
		err = refuse.Value("by = %q: expected \"ranges\" or \"hash\", since the rows do not exist yet", c.By)
	}
	if err == nil {
		p.Hot, err = owner.HotOf(s.counter.Degrees, c.Hot)
	}
	return p, err
}

// StreamAdd adds a block in the second pass.
func StreamAdd(handle int64, spec string) (known bool, err error) {
	defer guard(&err)
	s, err := streams.get(handle)
	if err != nil {
		return false, err
	}
	var b edgeBlock
	if err := json.Unmarshal([]byte(spec), &b); err != nil {
		return false, err
	}
	switch {
	case s.conversion != nil:
		return true, s.conversion.Add(b.block())
	case s.share != nil:
		return true, s.share.Add(b.block())
	}
	if s.placer == nil {
		return false, refuse.Value("the stream has no target: call StreamPlace or StreamConvert first")
	}
	return true, s.counter.EachArc(b.block(), s.placer.Place)
}

// StreamFinish ends the second pass. It returns the handle of the graph in memory, or 0 after a conversion, whose job counts
// bytes. spec has the names of the vertices and the unit of times as JSON.
func StreamFinish(handle int64, spec string, job uintptr) (made int64, err error) {
	defer guard(&err)
	s, err := streams.get(handle)
	if err != nil {
		return 0, err
	}
	var n struct {
		names
		meaning
	}
	if err := json.Unmarshal([]byte(spec), &n); err != nil {
		return 0, err
	}
	if s.conversion != nil {
		conversion := s.conversion
		s.conversion = nil
		conversion.TimeUnit = n.TimeUnit
		return 0, conversion.Close()
	}
	if share := s.share; share != nil {
		s.share = nil
		return 0, share.Close()
	}
	placer := s.placer
	s.placer = nil
	if placer == nil {
		return 0, refuse.Value("the stream has no target: call StreamPlace or StreamConvert first")
	}
	g, err := placer.Finish(false, 0, jobAt(job))
	if err != nil {
		return 0, err
	}
	g.Names.Ints = s.counter.Names
	return registerMeant(g, n.names, n.meaning, nil)
}

// DropStream frees a stream, and abandons what it has not finished.
func DropStream(handle int64) (known bool, err error) {
	defer guard(&err)
	s, known := streams.drop(handle)
	if known {
		if s.placer != nil {
			s.placer.Free()
		}
		if s.conversion != nil {
			s.conversion.Abandon()
		}
		if s.share != nil {
			s.share.Abandon()
		}
		s.counter.Free()
	}
	return known, nil
}

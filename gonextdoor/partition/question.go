package partition

import (
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// A question asks a part for edges of rows that it has. It is one buffer of 32-bit words: a header, then groups of rows that
// choose in the same way, such as the frontier of one mini-batch. The answer is a buffer with as many groups. A part keeps no
// state between questions, so a question can be asked again.

// group is a part of a question. The key of row i is Keys[i], or stream.Key(vertices[i]) if keys are not sent.
type group struct {
	neighbor.RowChoice            // Rows is empty: the part looks up the vertices
	relation           int        // of the rows
	vertices           []uint32   // whose rows choose
	degrees            bool       // weights are the degrees of end points
	stream             rng.Stream // of the keys, if Keys is nil
}

// The marks of buffers, in their first word. The second word is the number of groups.
const (
	questionMark = 0x32514447 // "GDQ2"
	answerMark   = 0x31414447 // "GDA1"
	bufferWords  = 2
)

// The header of a group of a question, in words.
const (
	groupOptions = iota
	groupRelation
	groupFanout
	groupRows
	groupExcluded
	groupStream
	groupEnds  = groupStream + 2
	groupWords = groupEnds + 2
)

// Bits of groupOptions.
const (
	optionReplace = 1 << iota
	optionWeighted
	optionUniformTimes
	optionLastTimes
	optionLabor
	optionPoisson
	optionKeys
	optionWindows
	optionDegrees
	optionsEnd
)

// options returns the bits of a group. App has Weighted resolved to Yes or No.
func (g *group) options() (bits uint32) {
	for bit, set := range map[uint32]bool{
		optionReplace: g.App.Replace, optionWeighted: g.App.Weighted == app.Yes,
		optionUniformTimes: g.App.Temporal == app.TemporalUniform, optionLastTimes: g.App.Temporal == app.TemporalLast,
		optionLabor: g.App.Method == app.MethodLabor, optionPoisson: g.App.Method == app.MethodLaborPoisson,
		optionKeys: g.Keys != nil, optionWindows: g.Windows != nil, optionDegrees: g.degrees,
	} {
		if set {
			bits |= bit
		}
	}
	return bits
}

// words returns the length of a group.
func (g *group) words() int {
	return groupWords + len(g.vertices) + 2*(len(g.Keys)+len(g.Times)+len(g.Windows)+len(g.Excluded))
}

// encodeQuestion returns the buffer of some groups, nil if there are none.
func encodeQuestion(groups []*group) []uint32 {
	if len(groups) == 0 {
		return nil
	}
	n := bufferWords
	for _, g := range groups {
		n += g.words()
	}
	buffer := make([]uint32, 0, n)
	buffer = append(buffer, questionMark, uint32(len(groups)))
	for _, g := range groups {
		buffer = append(buffer, g.options(), uint32(g.relation), uint32(int32(g.Fanout)), uint32(len(g.vertices)), uint32(len(g.Excluded)))
		buffer = appendWide(buffer, []uint64{uint64(g.stream), uint64(g.Ends)})
		buffer = append(buffer, g.vertices...)
		buffer = appendWide(buffer, g.Keys)
		buffer = appendWide(appendWide(buffer, g.Times), g.Windows)
		buffer = appendWide(buffer, g.Excluded)
	}
	return buffer
}

// decodeQuestion reads the groups of a buffer. They share no memory with it.
func decodeQuestion(buffer []uint32) ([]*group, error) {
	r := reader{rest: buffer}
	groups := make([]*group, r.begin(questionMark))
	for i := range groups {
		head := r.take(groupWords)
		if r.err != nil {
			break
		}
		bits, rows := head[groupOptions], int(head[groupRows])
		if bits >= optionsEnd {
			return nil, refuse.Format("a question has unknown options %#x: it is of another version", bits)
		}
		g := &group{relation: int(head[groupRelation]), vertices: r.take(rows), degrees: bits&optionDegrees != 0}
		g.App, g.Fanout = appOf(bits), int(int32(head[groupFanout]))
		g.stream, g.Ends = rng.Stream(wide(head[groupStream:])), rng.Stream(wide(head[groupEnds:]))
		if bits&optionKeys != 0 {
			g.Keys = takeWide[rng.Key](&r, rows)
		}
		if g.App.Temporal != "" {
			g.Times = takeWide[int64](&r, rows)
		}
		if bits&optionWindows != 0 {
			g.Windows = takeWide[int64](&r, rows)
		}
		g.Excluded = takeWide[int64](&r, int(head[groupExcluded]))
		groups[i] = g
	}
	return groups, r.end()
}

// appOf returns the parameters of choices with these options.
func appOf(bits uint32) *app.NeighborSampling {
	m := &app.NeighborSampling{Replace: bits&optionReplace != 0, Weighted: app.No}
	if bits&optionWeighted != 0 {
		m.Weighted = app.Yes
	}
	switch {
	case bits&optionUniformTimes != 0:
		m.Temporal = app.TemporalUniform
	case bits&optionLastTimes != 0:
		m.Temporal = app.TemporalLast
	case bits&optionLabor != 0:
		m.Method = app.MethodLabor
	case bits&optionPoisson != 0:
		m.Method = app.MethodLaborPoisson
	}
	return m
}

// appendAnswer appends the edges of a group to the buffer of an answer. Ids take 8 bytes if wide is true, otherwise 4.
func appendAnswer(buffer []uint32, e *neighbor.RowEdges, wide bool) []uint32 {
	flag := uint32(0)
	if wide {
		flag = 1
	}
	buffer = slices.Grow(buffer, answerWords+len(e.Counts)+(2+int(flag))*len(e.Ends))
	buffer = append(buffer, uint32(len(e.Counts)), uint32(len(e.Ends)), flag)
	buffer = append(append(buffer, e.Counts...), e.Ends...)
	if wide {
		return appendWide(buffer, e.EdgeIDs)
	}
	for _, id := range e.EdgeIDs {
		buffer = append(buffer, uint32(id))
	}
	return buffer
}

// answerWords is the header of a group of an answer, in words: rows, edges, and whether ids are wide.
const answerWords = 3

// decodeAnswer reads the groups of an answer. Counts and Ends are slices of the buffer. The end points of group i are below
// ends[i], for each i.
func decodeAnswer(buffer []uint32, ends []int) ([]neighbor.RowEdges, error) {
	r := reader{rest: buffer}
	groups := make([]neighbor.RowEdges, r.begin(answerMark))
	for i := range groups {
		head := r.take(answerWords)
		if r.err != nil {
			break
		}
		e := &groups[i]
		e.Counts, e.Ends = r.take(int(head[0])), r.take(int(head[1]))
		if err := checkEdges(e, ends[min(i, len(ends)-1)]); err != nil {
			return nil, err
		}
		if head[2] != 0 {
			e.EdgeIDs = takeWide[uint64](&r, len(e.Ends))
			continue
		}
		e.EdgeIDs = make([]uint64, len(e.Ends))
		for k, id := range r.take(len(e.Ends)) {
			e.EdgeIDs[k] = uint64(id)
		}
	}
	return groups, r.end()
}

// checkEdges returns an error unless the counts of rows are those of the edges, and all end points are below vertices.
func checkEdges(e *neighbor.RowEdges, vertices int) error {
	edges := 0
	for _, n := range e.Counts {
		edges += int(n)
	}
	if edges != len(e.Ends) {
		return refuse.Format("an answer has %d edges for rows with %d", len(e.Ends), edges)
	}
	return checkEnds(e, vertices)
}

// checkEnds returns an error unless all end points are below vertices.
func checkEnds(e *neighbor.RowEdges, vertices int) error {
	for _, v := range e.Ends {
		if int(v) >= vertices {
			return refuse.Format("an edge leads to vertex %d: the graph has %d vertices", v, vertices)
		}
	}
	return nil
}

// reader reads a buffer from front to back.
type reader struct {
	rest []uint32
	err  error
}

// begin checks the mark and returns the number of groups, 0 after an error.
func (r *reader) begin(mark uint32) int {
	head := r.take(bufferWords)
	if r.err == nil && head[0] != mark {
		r.err = refuse.Format("the buffer begins with %#x, expected %#x: it is not from this version of the library", head[0], mark)
	}
	if r.err == nil && int(head[1]) > len(r.rest) {
		r.err = truncated(head[1])
	}
	if r.err != nil {
		return 0
	}
	return int(head[1])
}

// take returns the next n words, nil after an error.
func (r *reader) take(n int) []uint32 {
	if r.err == nil && (n < 0 || n > len(r.rest)) {
		r.err = truncated(n)
	}
	if r.err != nil {
		return nil
	}
	some := r.rest[:n:n]
	r.rest = r.rest[n:]
	return some
}

// truncated returns the error for a buffer that ends early.
func truncated[N int | uint32](missing N) error {
	return refuse.Format("the buffer of a part is truncated: it ends before %d further words", missing)
}

// end returns the first error, or one if words are left.
func (r *reader) end() error {
	if r.err == nil && len(r.rest) > 0 {
		r.err = refuse.Format("the buffer of a part has %d words too many", len(r.rest))
	}
	return r.err
}

// wide returns the 64-bit word that two words hold, the low half first.
func wide(words []uint32) uint64 { return uint64(words[0]) | uint64(words[1])<<32 }

// wideWord is a type of 64-bit words.
type wideWord interface{ ~uint64 | ~int64 }

// takeWide returns a copy of the next n 64-bit words. It is not nil unless there was an error.
func takeWide[W wideWord](r *reader, n int) []W {
	if n > len(r.rest)/2 {
		n, r.err = 0, truncated(n)
	}
	from := r.take(2 * n)
	if r.err != nil {
		return nil
	}
	all := make([]W, n)
	for i := range all {
		all[i] = W(wide(from[2*i:]))
	}
	return all
}

// appendWide appends 64-bit words, the low half first.
func appendWide[W wideWord](to []uint32, from []W) []uint32 {
	return append(to, unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(from))), 2*len(from))...) // little-endian machines only
}

// keysOf returns the keys of a group whose keys follow from the vertices.
func keysOf(g *group) []rng.Key {
	keys := make([]rng.Key, len(g.vertices))
	for i, v := range g.vertices {
		keys[i] = g.stream.Key(uint64(v))
	}
	return keys
}

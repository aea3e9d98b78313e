package partition

import (
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/rng"
)

// halves are owners of two ranges.
type halves struct{ n uint32 }

func (h halves) Parts() int         { return 2 }
func (h halves) Owner(v uint32) int { return int(2 * v / h.n) }
func (h halves) Range(part int) (first, end uint32, ok bool) {
	return uint32(part) * h.n / 2, uint32(part+1) * h.n / 2, true
}

// twoParts returns a graph in two parts.
func twoParts(t *testing.T) []*Part {
	t.Helper()
	g := graphtest.Thicket(false)
	parts, err := Split(g, halves{uint32(g.NumVertices())}, nil, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, p := range parts {
			p.Close()
		}
	})
	return parts
}

func TestQuestionsReturnWhatWasEncoded(t *testing.T) {
	for bits := range uint32(optionsEnd) {
		times := bits&(optionUniformTimes|optionLastTimes) != 0
		methods := []uint32{optionUniformTimes, optionLastTimes, optionLabor, optionPoisson}
		if slices.IndexFunc(methods, func(m uint32) bool { return bits&m != 0 && bits&^m&(15<<2) != 0 }) >= 0 || bits&optionWindows != 0 && !times {
			continue // contradicting options
		}
		g := &group{relation: 3, vertices: []uint32{4, 5, 4}, degrees: bits&optionDegrees != 0, stream: 1<<63 + 7}
		g.App, g.Fanout, g.Ends, g.Excluded = appOf(bits), -1, 1<<62+3, []int64{1 << 40, 2}
		if bits&optionKeys != 0 {
			g.Keys = []rng.Key{1 << 63, 2, 3}
		}
		if times {
			g.Times = []int64{-1, 1 << 60, 3}
		}
		if bits&optionWindows != 0 {
			g.Windows = []int64{0, 5, 1 << 50}
		}
		other := &group{RowChoice: neighbor.RowChoice{App: &app.NeighborSampling{Weighted: app.No}, Fanout: 3}, vertices: []uint32{9}}
		got, err := decodeQuestion(encodeQuestion([]*group{g, other}))
		if err != nil || len(got) != 2 {
			t.Fatalf("options %#x: %d groups, %v", bits, len(got), err)
		}
		x := got[0]
		if x.options() != g.options() || x.options() != bits || x.relation != 3 || x.Fanout != -1 || x.stream != g.stream || x.Ends != g.Ends ||
			!slices.Equal(x.vertices, g.vertices) || !slices.Equal(x.Keys, g.Keys) || !slices.Equal(x.Times, g.Times) ||
			!slices.Equal(x.Windows, g.Windows) || !slices.Equal(x.Excluded, g.Excluded) || got[1].vertices[0] != 9 {
			t.Fatalf("options %#x: %+v was read as %+v", bits, g, x)
		}
	}
	if encodeQuestion(nil) != nil {
		t.Error("no rows make a buffer")
	}
}

func TestAnswersReturnWhatWasEncoded(t *testing.T) {
	e := &neighbor.RowEdges{Counts: []uint32{2, 0, 1}, Ends: []uint32{4, 5, 3}, EdgeIDs: []uint64{7, 8, 1<<32 - 1}}
	for _, wide := range []bool{false, true} {
		if wide {
			e.EdgeIDs[2] = 1 << 40
		}
		got, err := decodeAnswer(appendAnswer([]uint32{answerMark, 1}, e, wide), []int{6})
		if err != nil || !slices.Equal(got[0].Counts, e.Counts) || !slices.Equal(got[0].Ends, e.Ends) || !slices.Equal(got[0].EdgeIDs, e.EdgeIDs) {
			t.Errorf("%+v was read as %+v, %v", e, got, err)
		}
	}
}

// Every proper beginning of a buffer is refused, and so are further words.
func TestTruncatedBuffersAreRefused(t *testing.T) {
	g := &group{vertices: []uint32{0, 1}, stream: 5}
	g.App, g.Fanout, g.Excluded, g.Keys = appOf(optionReplace), 2, []int64{3}, []rng.Key{1, 2}
	question := encodeQuestion([]*group{g, g})
	parts := twoParts(t)
	answer, err := parts[0].AnswerEdges(question, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := parts[0].Whole.Vertices
	for name, buffer := range map[string][]uint32{"question": question, "answer": answer} {
		read := func(words []uint32) error {
			if name == "question" {
				_, err := decodeQuestion(words)
				return err
			}
			_, err := decodeAnswer(words, []int{n, n})
			return err
		}
		for end := range buffer {
			if err := read(buffer[:end]); err == nil {
				t.Errorf("%s: %d of %d words were accepted", name, end, len(buffer))
			}
		}
		if err := read(append(slices.Clone(buffer), 0)); err == nil || !strings.Contains(err.Error(), "1 words too many") {
			t.Errorf("%s: error %v for a further word", name, err)
		}
		if err := read(append([]uint32{7}, buffer[1:]...)); err == nil || !strings.Contains(err.Error(), "begins with 0x7") {
			t.Errorf("%s: error %v for another mark", name, err)
		}
	}
}

func TestPartsRefuseBadQuestionsAndAnswers(t *testing.T) {
	parts := twoParts(t)
	ask := func(vertices ...uint32) ([]uint32, error) {
		g := &group{vertices: vertices}
		g.App, g.Fanout = appOf(0), 1
		return parts[0].AnswerEdges(encodeQuestion([]*group{g}), nil)
	}
	for _, v := range []uint32{3, 6, graph.None} {
		if _, err := ask(0, v); err == nil || !strings.Contains(err.Error(), "which it does not own") {
			t.Errorf("error %v for vertex %d", err, v)
		}
	}
	weighted := encodeQuestion([]*group{{vertices: []uint32{1}, RowChoice: neighbor.RowChoice{App: appOf(optionWeighted)}}})
	if _, err := parts[0].AnswerEdges(weighted, nil); err == nil || !strings.Contains(err.Error(), "by weight, but its edges have no weights") {
		t.Errorf("error %v for weights that the part does not have", err)
	}
	unknown := encodeQuestion([]*group{{vertices: []uint32{1}, RowChoice: neighbor.RowChoice{App: appOf(0)}}})
	unknown[bufferWords] = optionsEnd
	if _, err := parts[0].AnswerEdges(unknown, nil); err == nil || !strings.Contains(err.Error(), "unknown options 0x200") {
		t.Errorf("error %v for unknown options", err)
	}
	if _, err := parts[0].AnswerEdges([]uint32{1}, nil); err == nil {
		t.Error("a short question was answered")
	}
	good := func() (*round, []uint32) {
		r := &round{home: parts[0].Alone()}
		g := &group{vertices: []uint32{0, 4, 5}}
		g.App, g.Fanout = appOf(0), 1
		r.add(g)
		answer, err := parts[1].AnswerEdges(r.questions()[1], nil)
		if err != nil {
			t.Fatal(err)
		}
		return r, answer
	}
	for want, spoil := range map[string]func(a []uint32) []uint32{
		"the answer of part 1 is missing":           func([]uint32) []uint32 { return nil },
		"part 1 answered 0 of 1 groups":             func([]uint32) []uint32 { return []uint32{answerMark, 0} },
		"part 1 answered 1 of 2 rows":               func([]uint32) []uint32 { return []uint32{answerMark, 1, 1, 0, 0, 0} },
		"leads to vertex 6: the graph has 6":        func(a []uint32) []uint32 { a[7] = 6; return a },
		"an answer has 2 edges for rows with 3":     func(a []uint32) []uint32 { a[5] = 2; return a },
		"the buffer of a part is truncated: it end": func(a []uint32) []uint32 { return a[:len(a)-1] },
	} {
		r, answer := good()
		if err := r.answers([][]uint32{nil, spoil(slices.Clone(answer))}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: expected %q", err, want)
		}
	}
}

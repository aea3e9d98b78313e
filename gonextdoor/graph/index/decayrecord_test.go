package index_test

import (
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// timedMultigraph returns a graph of 12 vertices and 500 edges, at several different times.
func timedMultigraph(different uint64) *graph.Graph {
	key := rng.NewStream(8, rng.Edges).Key(different)
	list, times := make([]graphtest.Edge, 500), make([]int64, 500)
	for i := range list {
		from, _ := rng.Below(key.Word(3*uint64(i)), 100)
		to, _ := rng.Below(key.Word(3*uint64(i)+1), 11) // vertex 11 has no edge
		time, _ := rng.Below(key.Word(3*uint64(i)+2), different)
		list[i], times[i] = graphtest.Edge{From: uint32(from * from / 1000), To: uint32(to), Bias: 1}, int64(time)
	}
	g := graphtest.Make(12, false, list)
	g.Times = make([]int64, g.NumEdges())
	for p := range g.Times {
		g.Times[p] = times[g.EdgeID(uint64(p))]
	}
	return g
}

// The hints of a record admit what selector.Decay chooses, and decide all words but few, if they choose a near candidate.
func TestHintsAdmitTheChoiceOfDecay(t *testing.T) {
	far, even := 0, 0 // choices by far and by even hints
	for _, different := range []uint64{1, 4, 100, 1 << 40} {
		g := timedMultigraph(different)
		for _, scale := range []uint64{1, 3, 50, 1 << 35, 1 << 50} {
			order := index.TemporalOrder{Strict: scale == 3, Backward: scale == 50, Scale: scale}
			view, err := index.TemporalView(g, order, graph.Options{})
			if err != nil {
				t.Fatal(err)
			}
			records, err := index.DecayRecords(view, graph.Options{Threads: 3})
			if err != nil {
				t.Fatal(err)
			}
			rows, near, decided := index.TemporalRowsOf(view), 0, 0
			for i, r := range records {
				want := index.TemporalEdge{}
				if i < g.NumEdges() {
					want = rows.Edges[i]
				} else {
					v := uint32(i - g.NumEdges())
					first, end := g.Row(v)
					want = index.TemporalEdge{Target: v, First: first, Count: uint32(end - first)}
				}
				if r.TemporalEdge != want {
					t.Fatalf("record %d is %+v, expected %+v", i, r.TemporalEdge, want)
				}
				if r.Count == 0 {
					continue
				}
				sums, key := rows.Sums[r.First:][:r.Count], rng.NewStream(1, rng.Choices).Key(uint64(i))
				for k := range uint64(40) {
					word := key.Word(k)
					if k < 32 { // around a border of the hints: their lanes have 15 bits of the word
						word = (r.Hints[k/16]>>(k/4%4*16)&(1<<15-1) + k%4/2) << 49
						if r.Hints.Far() != 0 {
							word = k / 2 << 61
						}
						word -= k % 2
					}
					least, largest := r.Hints.Choice(word)
					choice := min(int(selector.Decay(word, sums)), index.HintedCandidates)
					if r.Hints.Even() != 0 {
						only := int(index.EvenChoice(word, r.Count))
						least, largest, choice = only, only, int(selector.Decay(word, sums))
						even++
					} else if r.Hints.Far() != 0 {
						from, to := r.Hints.Range(word, r.Count)
						least, largest, choice = int(from), int(to), int(selector.Decay(word, sums))
						far++
					}
					if choice < least || choice > largest {
						t.Fatalf("scale %d, record %d, word %#x: candidate %d of %d, the hints admit %d to %d",
							scale, i, word, choice, r.Count, least, largest)
					}
					if k >= 32 && r.Hints.Far() == 0 {
						near++
						if least == largest {
							decided++
						}
					}
				}
			}
			if decided < near*99/100 {
				t.Errorf("%d times, scale %d: the hints decide %d of %d words", different, scale, decided, near)
			}
		}
		g.Close()
	}
	if far < 1000 || even < 1000 {
		t.Errorf("%d choices by far hints, %d by even ones", far, even)
	}
}

func TestDecayRecordsAreBuiltOnce(t *testing.T) {
	g := timedMultigraph(9)
	defer g.Close()
	order := index.TemporalOrder{Strict: true, Scale: 5}
	table := index.DecayRecordsTable(order)
	stopped := new(job.Job)
	stopped.Stop = 1
	if err := table.Build(g, graph.Options{Job: stopped}); err == nil || table.Built(g) {
		t.Errorf("a stopped job built the records: %v", err)
	}
	if err := table.Build(g, graph.Options{}); err != nil || !table.Built(g) {
		t.Fatalf("not built: %v", err)
	}
	view := index.TemporalViewNow(g, order)
	stopped.Stop = 1
	records, err := index.DecayRecords(view, graph.Options{Job: stopped})
	if err != nil || int64(len(records))*32 != table.Bytes(g) {
		t.Errorf("%d records, %v; expected %d bytes", len(records), err, table.Bytes(g))
	}
}

// Far hints have 15 bits for a candidate.
func TestFarHintsOfLongRows(t *testing.T) {
	const n = 70_000
	edges := make([]graphtest.Edge, n)
	g := graphtest.Make(1, false, edges) // loops of vertex 0
	g.Times = make([]int64, n)
	for p := range g.Times {
		g.Times[p] = int64(p)
	}
	defer g.Close()
	view, err := index.TemporalView(g, index.TemporalOrder{Scale: n}, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	records, err := index.DecayRecords(view, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, sums, key := records[n], index.TemporalRowsOf(view).Sums, rng.NewStream(2, rng.Choices).Key(0)
	for i := range uint64(200) {
		least, largest := r.Hints.Range(key.Word(i), r.Count)
		if choice := uint32(selector.Decay(key.Word(i), sums)); r.Hints.Far() == 0 || r.Hints.Even() != 0 || choice < least || choice > largest {
			t.Fatalf("word %#x: candidate %d, the hints admit %d to %d", key.Word(i), choice, least, largest)
		}
	}
}

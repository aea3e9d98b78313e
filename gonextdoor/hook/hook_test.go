package hook_test

import (
	"encoding/json"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
)

func TestLayoutTellsTheOffsets(t *testing.T) {
	var l struct {
		Run, Block map[string]uintptr
		Faults     map[string]struct{ Class, Text string }
		Reads      []string
	}
	if err := json.Unmarshal([]byte(hook.Layout()), &l); err != nil {
		t.Fatal(err)
	}
	var r hook.Run
	var b hook.Block
	if l.Run["Params"] != unsafe.Offsetof(r.Params) || l.Block["Out"] != unsafe.Offsetof(b.Out) || l.Run[""] != unsafe.Sizeof(r) {
		t.Errorf("got %+v", l)
	}
	if l.Faults["6"].Class != "ZeroDivisionError" || len(l.Faults) != 16 || len(l.Reads) != 16 {
		t.Errorf("got %+v, %v", l.Faults, l.Reads)
	}
	var all hook.Reads
	text, _ := json.Marshal(l.Reads)
	if err := json.Unmarshal(text, &all); err != nil || all != hook.Everything {
		t.Errorf("all that can be read is %v, %v", all, err)
	}
	if err := json.Unmarshal([]byte(`["dst"]`), &all); refuse.KindOf(err) != refuse.KindValue {
		t.Errorf("got %v, expected a refusal", err)
	}
}

func TestTheLowestFaultIsTheError(t *testing.T) {
	g := graphtest.Diamond(true)
	s, err := hook.NewState(g, 1<<40, hook.Everything, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	s.Note(1<<40+7, 3, hook.DividedByZero)
	s.Note(1<<40+7, 4, hook.OutOfArray)
	s.Note(1<<40+9, 0, hook.OutOfArray)
	err = s.Err()
	if refuse.KindOf(err) != "ZeroDivisionError" || err.Error() != "division by zero (sample 1099511627783, step 3)" {
		t.Errorf("got %v", err)
	}
}

func TestTablesAreOnlyMadeWhereTheyAreRead(t *testing.T) {
	g := graphtest.Diamond(true)
	s, err := hook.NewState(g, 0, hook.Transit, graph.Options{})
	if err != nil || s.Run.Weights != 0 || s.Run.Largest != 0 || s.Run.Labels != 0 || s.Run.Indptr == 0 {
		t.Errorf("got %+v, %v", s, err)
	}
	if s, err = hook.NewState(g, 0, hook.Weights|hook.Largest|hook.Prefix, graph.Options{}); err != nil || s.Run.Weights == 0 || s.Run.Largest == 0 || s.Run.Prefix == 0 {
		t.Errorf("got %+v, %v", s, err)
	}
	s.UseEdgeSet(index.EdgeSet{})
	if s.Run.Slots != 0 {
		t.Error("an empty set is none")
	}
	set, err := index.EdgeSetOf(g, g.NumEdges(), graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.UseEdgeSet(set); s.Run.Slots == 0 || s.Run.SetBuckets*index.BucketSlots != uint64(len(set.Slots)) {
		t.Errorf("got %+v", s.Run)
	}
}

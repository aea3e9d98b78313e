package graph

import (
	"testing"

	"gonextdoor/gonextdoor/offheap"
)

func TestInheritTakesTheTablesOver(t *testing.T) {
	g := full(t, false)
	defer g.Close()
	if d := g.Derived(); d != (Derived{}) {
		t.Fatalf("a new graph has derived %+v", d)
	}
	packed, err := g.Packed()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.MakeAlias(); err != nil {
		t.Fatal(err)
	}
	set, err := g.EdgeSet(g.NumEdges(), Hands{})
	if err != nil {
		t.Fatal(err)
	}
	live := offheap.Live()
	h, err := Adopt(g.Arrays(), g.Numbers())
	if err != nil {
		t.Fatal(err)
	}
	h.Inherit(g.Derived())
	again, err := h.Packed()
	if err != nil || &again.Records[0] != &packed.Records[0] {
		t.Error("the packed records were made again")
	}
	if err := h.MakeAlias(); err != nil || &h.AliasTable()[0] != &g.AliasTable()[0] {
		t.Error("the alias tables were made again")
	}
	other, err := h.EdgeSet(0, Hands{})
	if err != nil || len(set.Slots) == 0 || &other.Slots[0] != &set.Slots[0] {
		t.Error("the edge set was made again")
	}
	for u := range uint32(40) {
		for v := range uint32(40) {
			if other.Has(u, v) != g.HasEdge(u, v) {
				t.Fatalf("edge %d to %d", u, v)
			}
		}
	}
	h.Close()
	if n := offheap.Live(); n != live {
		t.Errorf("%d arrays live, %d before: the tables are the first graph's", n, live)
	}
}

func TestTablesMadeBesideMappedOnesAreGivenBack(t *testing.T) {
	g := full(t, false)
	defer g.Close()
	if _, err := g.Packed(); err != nil {
		t.Fatal(err)
	}
	live := offheap.Live()
	h, err := Adopt(g.Arrays(), g.Numbers())
	if err != nil {
		t.Fatal(err)
	}
	d := g.Derived()
	d.Mapped = true
	d.Packed.Address += 8 // a mapping's, not an array's first
	d.Packed.Length, d.Packed.Bytes = d.Packed.Length-1, d.Packed.Bytes-8
	h.Inherit(d)
	if err := h.MakeAlias(); err != nil {
		t.Fatal(err)
	}
	if offheap.Live() == live {
		t.Fatal("no table was made")
	}
	h.Close()
	if n := offheap.Live(); n != live {
		t.Errorf("%d arrays live, %d before", n, live)
	}
}

package index

import (
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/offheap"
)

func TestInheritTakesTheTablesOver(t *testing.T) {
	g := graphtest.Full(t, false)
	defer g.Close()
	if d := ExportTables(g); d != (Tables{}) {
		t.Fatalf("a new graph has derived %+v", d)
	}
	packed, err := PackedOf(g)
	if err != nil {
		t.Fatal(err)
	}
	if err := BuildAlias(g, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	set, err := EdgeSetOf(g, g.NumEdges(), graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	live := offheap.Live()
	h, err := graph.FromArrays(g.Arrays(), g.Summary())
	if err != nil {
		t.Fatal(err)
	}
	ImportTables(h, ExportTables(g))
	again, err := PackedOf(h)
	if err != nil || &again.Records[0] != &packed.Records[0] {
		t.Error("the packed records were made again")
	}
	if err := BuildAlias(h, graph.Options{}); err != nil || &AliasOf(h)[0] != &AliasOf(g)[0] {
		t.Error("the alias tables were made again")
	}
	other, err := EdgeSetOf(h, 0, graph.Options{})
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
	g := graphtest.Full(t, false)
	defer g.Close()
	if _, err := PackedOf(g); err != nil {
		t.Fatal(err)
	}
	live := offheap.Live()
	h, err := graph.FromArrays(g.Arrays(), g.Summary())
	if err != nil {
		t.Fatal(err)
	}
	d := ExportTables(g)
	d.Packed.Address += 8 // a mapping's, not an array's first
	d.Packed.Length, d.Packed.Bytes = d.Packed.Length-1, d.Packed.Bytes-8
	ImportTables(h, d)
	if err := BuildAlias(h, graph.Options{}); err != nil {
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

package plan

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
)

// The files of benchmarks/gpu/beyond.py: calls on graphs larger than GPU memory, and the sizes of these graphs.
const (
	beyondRows   = "../../benchmarks/gpu/beyond.csv"
	beyondGraphs = "../../benchmarks/gpu/beyond_graphs.json"
)

// beyondCalls returns the stored calls.
func beyondCalls(t *testing.T) (calls []measuredCall) {
	t.Helper()
	sizes := map[string]app.Size{}
	readJSON(t, beyondGraphs, &sizes)
	for _, row := range storedTable(t, beyondRows) {
		a, err := apps.Parse(row[1], row[2])
		if err != nil {
			t.Fatal(err)
		}
		var n [8]float64
		for i, text := range row[3:] {
			n[i] = number(t, text)
		}
		m := measuredCall{graph: row[0], name: row[1] + row[2], gpu: n[6] / 1e3, cpu: n[7] / 1e3}
		m.Call = Call{App: a, On: sizes[m.graph], RootWidth: int(n[0]), Samples: int(n[1]), Threads: storedCores}
		m.parts = Parts{Count: int(n[2]), Slots: int(n[3]), SlotBytes: int64(n[4]), Bytes: int64(n[5])}
		m.addWay()
		calls = append(calls, m)
	}
	return calls
}

// addWay adds the fields of the parts that follow from the app.
func (m *measuredCall) addWay() {
	p := &m.parts
	a, tree := m.App.(app.FanoutTree)
	_, second := m.App.(*apps.Node2Vec)
	_, many := m.App.(*apps.MultiIndependent)
	switch {
	case many:
		p.Walkers = m.RootWidth
	case p.Count == 1:
		rows := int64(m.On.Vertices)
		if _, ok := m.App.(*apps.RandomEdge); ok {
			p.PageEdges = 64
			rows = int64(m.On.Edges) / 64
		}
		p.Gathered, p.Tables = true, 8*rows+rows/8
		p.EdgeBytes = (p.Bytes - p.Tables) / int64(m.On.Edges)
	case tree:
		p.Sweeps = len(a.TreeFanouts())
	default:
		p.SecondOrder = second
	}
}

// The stored calls are replayed: the plan takes the faster way in 95 %, and one that takes at most 1.3 times as long in the others, but
// for LADIES of 16 samples: their copy to the GPU took 14 ms, more than that of 64 samples.
func TestBeyondTakesTheFasterDeviceOfTheStoredCalls(t *testing.T) {
	calls := beyondCalls(t)
	replayed(t, "beyond", calls, 90, 0.95)
	calls = slices.DeleteFunc(calls, func(m measuredCall) bool { return m.App.Name() == "LADIES" && m.Samples == 16 })
	if _, worst := replay(calls, nil); worst > 1.3 {
		t.Errorf("%.2f times the faster way, expected 1.3 at most", worst)
	}
}

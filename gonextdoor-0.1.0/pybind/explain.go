package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/pybind/record"
)

// Explain returns a gonextdoor.Explanation of a call as JSON. roots, count, kind and repeat are as in record.Request.
// devices has a bit per GPU; 0 is the CPU, -1 is "auto". given is the reason for the device, empty if the caller named it.
// size is the number of bytes per vertex of the result. order is as in record.Request. Explain builds and samples nothing.
func Explain(graph int64, app int64, roots uintptr, count int64, width int64, kind int64, repeat int64, threads int64,
	devices int64, given string, size int64, order int64,
) (text string, err error) {
	defer guard(&err)
	g, a, err := graphAndApp(graph, app)
	if err != nil {
		return "", err
	}
	request := record.Request{Roots: int64(roots), RootCount: count, Kind: kind, Repeat: repeat, Threads: threads}
	r, err := rootsAt(g, &request, int(width))
	if err != nil {
		return "", err
	}
	q := gonextdoor.Question{
		Graph: g, App: a, Roots: r, Threads: int(threads), Auto: devices < 0, Given: given, VertexBytes: int(size),
		Order: orders[order],
	}
	if !q.Auto {
		q.On = gonextdoor.Devices(devices)
	}
	var x gonextdoor.Explanation
	err = readMapped(g, func() (err error) { x, err = gonextdoor.Explain(q); return err })
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(x)
	return string(b), err
}

// EstimateScores writes the expected seconds of a call of PageRankScores to out, on the CPU and on a GPU, as two float64.
// walks is the number of walks of all rows.
func EstimateScores(graph int64, stop float64, walks float64, threads int64, out uintptr) (fields int64, err error) {
	defer guard(&err)
	g, err := graphs.get(graph)
	if err != nil {
		return 0, err
	}
	e := plan.ScoresCall{On: app.SizeOf(g), Stop: stop, Walks: walks, Threads: int(threads)}.Estimate()
	return int64(copy(view[float64](out, 2), []float64{e.CPU, e.GPU})), nil
}

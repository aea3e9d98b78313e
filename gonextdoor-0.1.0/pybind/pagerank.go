package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// PageRankScores counts the visits of personalised PageRank. params is the JSON of app.PageRank. seeds are count vertices of
// a kind (see record.Request): one per row if sets is 0. Otherwise sets is a graph whose row r has the indices in seeds of
// the members of set r. walks has an int64 per row.
//
// It lends a result and writes 9 int64 to lent: the addresses of offsets, vertices, visits, walks, ends (or 0) and totals,
// the number of entries, the probability to stop in units of 2^-32, and 1 if the CPU counted for a device.
func PageRankScores(graph int64, params string, seeds uintptr, count int64, kind int64, sets int64, rows int64,
	walks uintptr, top int64, seed int64, first int64, threads int64, devices int64, lent uintptr, job uintptr,
) (written int64, err error) {
	defer guard(&err)
	g, err := graphs.get(graph)
	if err != nil {
		return 0, err
	}
	a := new(app.PageRank)
	if err := json.Unmarshal([]byte(params), a); err != nil {
		return 0, refuse.Type("parameters %s: %w", params, err)
	}
	s := plan.Scores{
		App: a, Graph: g, Walks: view[int64](walks, rows), TopK: int(top), Seed: uint64(seed), First: uint64(first),
		Threads: int(threads), From: app.Personalization{Rows: int(rows), Weighted: app.No},
	}
	if s.From.Vertices, err = vertices(g, "seeds", seeds, count, kind, int(threads)); err != nil {
		return 0, err
	}
	if sets != 0 {
		if s.From.Sets, err = graphs.get(sets); err != nil {
			return 0, err
		}
		if s.From.Sets.Weighted() {
			s.From.Weighted = app.Yes
		}
	}
	r, err := gonextdoor.Scores(gonextdoor.Devices(devices), s, jobAt(job))
	if err != nil {
		return 0, err
	}
	record := view[int64](lent, 9)
	copy(record, []int64{
		address(r.Offsets), address(r.Vertices), address(r.Visits), address(r.Walks), address(r.Ends), address(r.Total),
		int64(len(r.Vertices)), int64(a.Threshold()),
	})
	if r.FromHost {
		record[8] = 1
	}
	return rows, nil
}

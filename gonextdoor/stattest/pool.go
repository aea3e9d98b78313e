package stattest

import (
	"cmp"
	"slices"
)

// leastExpected is the expected count that cells are pooled up to. The p-value needs no pooling; the power does, since
// each cell costs some.
const leastExpected = 5

type cell struct {
	expected float64
	count    int
}

// pool joins the rarest outcomes, in order of their probability, into cells of leastExpected draws or more.
func pool(l Law, counts map[string]*int, n int) []cell {
	outcomes := make([]string, 0, len(counts))
	for outcome := range counts {
		outcomes = append(outcomes, outcome)
	}
	slices.SortFunc(outcomes, func(a, b string) int {
		return cmp.Or(cmp.Compare(l[a], l[b]), cmp.Compare(a, b))
	})
	var cells []cell
	var open cell
	for _, outcome := range outcomes {
		open.expected += l[outcome] * float64(n)
		open.count += *counts[outcome]
		if open.expected >= leastExpected {
			cells = append(cells, open)
			open = cell{}
		}
	}
	if len(cells) == 0 {
		return []cell{open}
	}
	last := &cells[len(cells)-1] // only where rounding left a rest behind the likeliest outcome
	last.expected += open.expected
	last.count += open.count
	return cells
}

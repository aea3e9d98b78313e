package stattest

import (
	"cmp"
	"slices"
)

// leastExpected is the smallest expected count of a pooled cell. The p-value needs no pooling, but the power does, since
// each cell reduces it.
const leastExpected = 5

// cell is a set of outcomes that are counted together.
type cell struct {
	expected float64
	count    int
}

// pool joins outcomes, from the rarest to the likeliest, into cells with an expected count of leastExpected or more.
func pool(l Distribution, counts map[string]*int, n int) []cell {
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
	last := &cells[len(cells)-1] // the last, likeliest outcome can leave an open cell only by rounding
	last.expected += open.expected
	last.count += open.count
	return cells
}

package neighbor

import (
	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/plan"
)

// unbounded reports whether neither the fan-out nor the degree usefully bounds the number of edges of a node: Poisson sampling
// may take all edges of a hub, but is expected to take as many as the fan-out.
func (c *edgeChooser) unbounded() bool { return c.choices.Way == rowaccess.LaborPoisson }

// drawGroup chooses the edges of the group after done nodes, which prepare has prepared, and returns their number. It prepares
// the next group. takeGroup returns the edges.
func (c *edgeChooser) drawGroup(done int) int {
	now := c.block
	c.prepare(done + plan.NodeGroup)
	c.drawn = c.drawn[:0]
	for i, u := range c.group(done) {
		c.drawn = append(c.drawn, c.choices.Poisson(c.fanout, now.first[i], now.degrees[i], c.excludedOf(u))...)
		c.block.ends[i] = int64(len(c.drawn))
	}
	return len(c.drawn)
}

// takeGroup is choose for the group that drawGroup has chosen.
func (c *edgeChooser) takeGroup(dst []uint64, chosen int, ends []int64) int {
	for i := range ends {
		ends[i] = int64(chosen) + c.block.ends[i] // ends may be block.ends
	}
	return chosen + copy(dst[chosen:], c.drawn)
}

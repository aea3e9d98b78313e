package partition

// visitCounts counts the visits of the vertices that have a row in a part.
type visitCounts struct {
	home    *Part
	visited []int64 // of the owned vertices by row; nil: not recorded
	passed  []int64 // of hot vertices, which other parts count too
}

// newVisitCounts returns counts of 0.
func newVisitCounts(p *Part) visitCounts {
	c := visitCounts{home: p, visited: make([]int64, p.rows.NumVertices())}
	if p.hot != nil {
		c.passed = make([]int64, p.hot.NumVertices())
	}
	return c
}

// count counts a visit of a row.
func (c *visitCounts) count(row uint32, hot bool) {
	if hot {
		c.passed[row]++
	} else {
		c.visited[row]++
	}
}

// Visited returns the number of vertices that CopyVisits writes.
func (c *visitCounts) Visited() (n int) {
	c.eachVisit(func(uint32, int64) { n++ })
	return n
}

// CopyVisits writes the vertices that walks visited at this part, and how often. Another part may have visited a hot vertex too.
func (c *visitCounts) CopyVisits(vertices []uint32, counts []int64) {
	n := 0
	c.eachVisit(func(v uint32, count int64) {
		vertices[n], counts[n] = v, count
		n++
	})
}

// eachVisit calls f with each vertex that was visited here.
func (c *visitCounts) eachVisit(f func(v uint32, count int64)) {
	if c.visited == nil {
		return
	}
	c.home.EachOwned(func(row int, v uint32) {
		if count := c.visited[row]; count > 0 {
			f(v, count)
		}
	})
	for row, count := range c.passed {
		if count > 0 {
			f(c.home.Layout.Hot[row], count)
		}
	}
}

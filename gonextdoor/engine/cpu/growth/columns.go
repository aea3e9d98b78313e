package growth

import "gonextdoor/gonextdoor/app"

// columns are choices of one step, field by field: what hooks are asked about. Those of compiled hooks read the slices by
// their addresses.
type columns struct {
	step, roots int
	who         []uint32 // the sample's place in views
	row         []uint64 // the sample's place in the run
	transit     []uint32
	prev        []uint32
	slot        []uint32
	key         []uint64
	words       []uint64
	edge        []uint64
	dst         []uint32

	// Of compiled hooks that read them.
	size   []uint32
	first  []uint32 // roots
	sample []uint64
	ends   []uint64

	views []app.Row // the samples so far
}

func newColumns(n int) columns {
	narrow, wide := make([]uint32, 7*n), make([]uint64, 6*n)
	one := func() (s []uint32) { s, narrow = narrow[:n:n], narrow[n:]; return s }
	two := func() (s []uint64) { s, wide = wide[:n:n], wide[n:]; return s }
	return columns{
		who: one(), transit: one(), prev: one(), slot: one(), dst: one(), size: one(), first: one(),
		row: two(), key: two(), words: two(), edge: two(), sample: two(), ends: two(),
	}
}

// take has choice k be what choice i of from is, but for the candidate.
func (c *columns) take(k int, from *columns, i int) {
	c.who[k], c.row[k], c.key[k] = from.who[i], from.row[i], from.key[i]
	c.transit[k], c.prev[k] = from.transit[i], from.prev[i]
}

// set has all n choices be of a step, without a slot.
func (c *columns) set(step, n int, words uint64) {
	c.step = step
	c.words[0] = words
	for k := 1; k < n; k *= 2 { // a copy is wider than a loop's stores
		copy(c.words[k:n], c.words[:k])
	}
}

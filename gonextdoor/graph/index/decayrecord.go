package index

import (
	"math"
	"math/bits"
	"sort"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// DecayRecord is an edge of TemporalRows with hints of the choice among the edges that may follow it, in 32 bytes. Most
// choices then need no other memory.
type DecayRecord struct {
	TemporalEdge
	Hints DecayHints
}

// DecayHints narrows the choice of selector.Decay, in eight lanes of 16 bits. There are three kinds.
//
// Near hints have a lane for each of the candidates 1 to HintedCandidates, the nearest first. A word whose upper hintBits bits
// are less than the lane chooses a candidate at or after it, one whose upper bits are more chooses one before it. Lanes descend;
// the last ones may be 0.
//
// Far hints are for many candidates. Lane k, from 1, has the candidate that the word k/8 * 2^64 chooses, or lastHint if it
// is farther. Lane 0 is farHints.
//
// Even hints are for candidates that weigh as much as the last edge of the row, as those at its time do. Each sum is exactly the
// number of candidates from there on, so a multiplication chooses. Lane 0 is evenHints.
type DecayHints [2]uint64

// HintedCandidates is the number of lanes of DecayHints.
const HintedCandidates = 8

const (
	hintBits = 15                 // the upper bit of a lane is free for arithmetic of all lanes
	lanes    = 0x0001000100010001 // 1 in each lane
	guards   = 0x8000800080008000

	farHints  = 1 << hintBits   // in lane 0
	evenHints = farHints | 1    // in lane 0
	lastHint  = 1<<hintBits - 1 // in the other lanes
	// Hints are far if the chance of a candidate that near ones do not tell is at least farFrom / 2^hintBits.
	farFrom = 1 << (hintBits - 2)
)

// Far returns 1 if the hints are far or even, otherwise 0.
func (h DecayHints) Far() int { return int(h[0] >> hintBits & 1) }

// Even returns 1 if the hints are even, otherwise 0.
func (h DecayHints) Even() int { return int(h[0]>>hintBits&h[0]) & 1 }

// EvenChoice returns the candidate that a word chooses among a number of candidates, if the hints are even.
func EvenChoice(word uint64, candidates uint32) uint32 {
	passed, _ := bits.Mul64(word, uint64(candidates)) // the level, rounded down
	return candidates - 1 - uint32(passed)
}

// Range returns the least and the largest of a number of candidates that a word may choose, if the hints are far.
func (h DecayHints) Range(word uint64, candidates uint32) (least, largest uint32) {
	lane := func(k uint64) uint32 { return uint32(h[k/4%2] >> (k % 4 * 16) & lastHint) }
	k := word >> 61
	if least, largest = lane(k+1), lane(k); k == 7 {
		least = 0
	}
	if k == 0 || largest == lastHint {
		largest = candidates - 1
	}
	return least, largest
}

// Choice returns the least and the largest candidate that a word may choose, if the hints are near. HintedCandidates is any
// candidate from there on.
func (h DecayHints) Choice(word uint64) (least, largest int) {
	upper := word >> (64 - hintBits) * lanes
	near, far := h[0]|guards-upper, h[1]|guards-upper // lanes keep their guard if they are at least the upper bits
	largest = bits.OnesCount64(near&guards | far&guards>>1)
	least = bits.OnesCount64((near-lanes)&guards | (far-lanes)&guards>>1)
	return least, largest
}

// decayHints returns the hints of candidates with these sums of weights.
func decayHints(sums []DecaySum) (h DecayHints) {
	for i := 1; i <= HintedCandidates && i < len(sums); i++ {
		lane := hint(sums[0], sums[i])
		if lane == 0 {
			break // so are the others
		}
		h[(i-1)/4] |= lane << ((i - 1) % 4 * 16)
	}
	if h[1]>>48 < farFrom {
		return h
	}
	h = DecayHints{farHints}
	for k := uint64(1); k < 8; k++ {
		level := sums[0].Times(k << 61)
		choice := sort.Search(len(sums), func(i int) bool { return sums[i] <= level }) - 1
		h[k/4] |= min(uint64(choice), lastHint) << (k % 4 * 16)
	}
	return h
}

// hint returns the upper bits of the largest word that selects a level below sum, out of the sum of all candidates.
func hint(all, sum DecaySum) uint64 {
	below := func(upper uint64) bool { return all.Times(upper<<(64-hintBits)) < sum }
	mantissa := func(s DecaySum) float64 { return float64(s&(1<<DecayMantissa-1) | 1<<DecayMantissa) }
	ratio := math.Ldexp(mantissa(sum)/mantissa(all), hintBits-int(all>>DecayMantissa-sum>>DecayMantissa))
	upper := min(uint64(ratio), 1<<hintBits-1) // approximate
	for !below(upper) {
		upper--
	}
	for upper < 1<<hintBits-1 && below(upper+1) {
		upper++
	}
	return upper
}

var decayRecordsKey = graph.NewKey(offheap.Free[DecayRecord])

// DecayRecords returns the records of the edges of a view of TemporalView, whose order has a scale. The records after them
// are those of the vertices: all edges of vertex v may follow record NumEdges+v. They are built at the first call.
func DecayRecords(view *graph.Graph, opts graph.Options) ([]DecayRecord, error) {
	return decayRecordsKey.Get(view, func() ([]DecayRecord, error) {
		records, err := buildDecayRecords(view, TemporalRowsOf(view), opts)
		if err != nil {
			offheap.Free(records)
			return nil, err
		}
		return records, nil
	})
}

// DecayRecordsTable describes the records of an order with a scale.
func DecayRecordsTable(order TemporalOrder) *Table {
	const each = 32
	return &Table{
		Name:  "hints of weights that decay with time",
		Bytes: func(g *graph.Graph) int64 { return each * (edges(g) + vertices(g)) },
		Built: func(g *graph.Graph) bool {
			view := TemporalViewNow(g, order)
			return view != nil && decayRecordsKey.Has(view)
		},
		Build: func(g *graph.Graph, opts graph.Options) error {
			view, err := TemporalView(g, order, opts)
			if err == nil {
				_, err = DecayRecords(view, opts)
			}
			return err
		},
	}
}

// buildDecayRecords builds the records. Those that it returns with an error are for the caller to free.
func buildDecayRecords(g *graph.Graph, rows TemporalRows, opts graph.Options) ([]DecayRecord, error) {
	m := g.NumEdges()
	records, err := offheap.Make[DecayRecord](m + g.NumVertices())
	if err != nil {
		return nil, err
	}
	// 1. Compute the hints of the candidates from each edge on, and write the records of the vertices.
	hints, err := offheap.Make[DecayHints](m)
	defer func() { offheap.Free(hints) }()
	if err != nil {
		return records, err
	}
	err = parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		for v := lo; v < hi; v++ {
			first, end := g.Row(uint32(v))
			even := end // the first candidate from which on all weigh as much as the last one
			for even > first && rows.Sums[even-1] == wholeSum(end-even+1) {
				even--
				hints[even] = DecayHints{evenHints}
			}
			for p := first; p < even; p++ {
				hints[p] = decayHints(rows.Sums[p:end])
			}
			r := &records[m+v]
			r.TemporalEdge = TemporalEdge{Target: uint32(v), Count: uint32(end - first), First: first}
			if first < end {
				r.Hints = hints[first]
			}
		}
		return nil
	})
	if err != nil {
		return records, err
	}
	// 2. Copy them to the edges that these candidates follow.
	return records, parallel.For(opts.Job, opts.Threads, m, graph.EdgeChunk, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			e := rows.Edges[i]
			if records[i].TemporalEdge = e; e.Count > 0 {
				records[i].Hints = hints[e.First]
			}
		}
		return nil
	})
}

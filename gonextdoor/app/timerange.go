package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// RootTimes is a time for all roots of a call, or one for each. The zero value is no time.
type RootTimes struct {
	All  *int64
	Each []int64 // nil if all roots have one time
}

// AllAt returns one time for all roots.
func AllAt(time int64) RootTimes { return RootTimes{All: &time} }

// UnmarshalJSON reads null, a number, or an array with the address of int64 values, which are copied.
func (t *RootTimes) UnmarshalJSON(text []byte) error {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return json.Unmarshal(text, &t.All)
	}
	var given graph.Array
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	times, err := graph.Elements[int64](given)
	t.Each = append([]int64{}, times...)
	return err
}

// String returns the times as text.
func (t RootTimes) String() string {
	switch {
	case t.Each != nil:
		return fmt.Sprintf("of %d roots", len(t.Each))
	case t.All != nil:
		return strconv.FormatInt(*t.All, 10)
	}
	return "none"
}

// Given reports whether there is a time.
func (t RootTimes) Given() bool { return t.All != nil || t.Each != nil }

// checkCount returns an error if there is a time for each root, and the number of roots is another.
func (t RootTimes) checkCount(name string, roots int) error {
	if t.Each != nil && len(t.Each) != roots {
		return refuse.Value("%s has %d elements: expected %d, one per root, or one time for all roots", name, len(t.Each), roots)
	}
	return nil
}

// along returns the time of a root along the walk, or another number if there is none.
func (t RootTimes) along(order index.TemporalOrder, root int, other int64) int64 {
	switch {
	case t.Each != nil:
		return order.Along(t.Each[root])
	case t.All != nil:
		return order.Along(*t.All)
	}
	return other
}

// TimeLimits are the limits of walks in time.
type TimeLimits struct {
	Start  RootTimes
	Window RootTimes // the longest time from the start to the first edge; all roots have the same
	End    RootTimes
}

// Given reports whether there is a limit.
func (l TimeLimits) Given() bool { return l.Start.Given() || l.End.Given() }

// Each reports whether roots have different limits.
func (l TimeLimits) Each() bool { return l.Start.Each != nil || l.End.Each != nil }

// CheckCount returns an error if there is a time for each root of another number of roots.
func (l TimeLimits) CheckCount(roots int) error {
	if err := l.Start.checkCount("start", roots); err != nil {
		return err
	}
	return l.End.checkCount("end", roots)
}

// Of returns the limits of the walks from a root.
func (l TimeLimits) Of(order index.TemporalOrder, root int) TimeRange {
	r := TimeRange{Start: l.Start.along(order, root, math.MinInt64), End: l.End.along(order, root, math.MaxInt64)}
	r.FirstEnd = r.End
	if w := l.Window.All; w != nil && uint64(*w) < uint64(math.MaxInt64)-uint64(r.Start) {
		r.FirstEnd = min(r.End, r.Start+*w)
	}
	return r
}

// TimeRange has the times of the edges that a walk may take, along the walk (index.TemporalOrder.Along). The first edge is
// from Start to FirstEnd, others are until End, all of these times included.
type TimeRange struct{ Start, FirstEnd, End int64 }

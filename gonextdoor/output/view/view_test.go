package view_test

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/output/view"
)

func TestPad(t *testing.T) {
	offsets, values := []int64{0, 2, 2, 5}, []int32{7, 8, 1, 2, 3}
	for _, c := range []struct {
		skip, width int
		want        []int64
	}{
		{0, 3, []int64{7, 8, -1, -1, -1, -1, 1, 2, 3}},
		{0, 4, []int64{7, 8, -1, -1, -1, -1, -1, -1, 1, 2, 3, -1}},
	} {
		out := make([]int64, len(c.want))
		if err := view.Pad(offsets, values, c.skip, c.width, out, 2); err != nil || !slices.Equal(out, c.want) {
			t.Errorf("got %v, %v, expected %v", out, err, c.want)
		}
	}
	out := make([]int32, 4)
	if err := view.Pad([]int64{0, 2, 5}, values, 1, 2, out, 1); err != nil || !slices.Equal(out, []int32{8, -1, 2, 3}) {
		t.Errorf("got %v, %v", out, err)
	}
}

// TestTouched compares samples of one width, of which the last step does not count, and samples of different lengths.
func TestTouched(t *testing.T) {
	set := []uint64{1 << 3, 1 << 1} // 3 and 65
	values := []int32{0, 3, 3, -1, 2, 5, 1, 2, 65, 65, 200, 0}
	for _, c := range []struct {
		width, read int
		offsets     []int64
		want        []uint8
	}{
		{3, 3, nil, []uint8{1, 0, 1, 1}},
		{3, 2, nil, []uint8{1, 0, 0, 1}},
		{3, 1, nil, []uint8{0, 0, 0, 1}},
		{0, 0, []int64{0, 1, 1, 3, 8, 12}, []uint8{0, 0, 1, 0, 1}},
	} {
		out := make([]uint8, len(c.want))
		if err := view.Touched(values, c.width, c.read, c.offsets, set, out, 2); err != nil || !slices.Equal(out, c.want) {
			t.Errorf("%v: %v, %v, expected %v", c, out, err, c.want)
		}
	}
}

// TestReplaced compares results of many pieces with the definition.
func TestReplaced(t *testing.T) {
	const size, before, after = 3, 900_000, 900_007
	old, part := make([]byte, size*before), []byte{}
	want := make([]byte, size*after)
	for i := range old {
		old[i] = byte(i % 251)
	}
	copy(want, old)
	var rows []int64
	for i := int64(0); i < after; i++ {
		if i%1000 == 7 || i%100_000 < 2 || i >= before {
			rows, part = append(rows, i), append(part, byte(i), byte(i>>8), byte(i>>16))
			copy(want[size*i:], part[len(part)-size:])
		}
	}
	for _, threads := range []int{1, 3} {
		out := make([]byte, len(want))
		if err := view.Replaced(old, part, rows, out, size, threads); err != nil || !slices.Equal(out, want) {
			t.Errorf("%d threads: the rows differ, %v", threads, err)
		}
	}
}

func TestCounts(t *testing.T) {
	values := make([]int32, 6*100_000)
	counts, lengths := make([]int64, 5), make([]int64, 100_000)
	want, filled := make([]int64, 5), int64(0)
	for i := range values {
		values[i] = int32(i%6) - 1
		if values[i] >= 0 {
			want[values[i]]++
			filled++
		}
	}
	for _, threads := range []int{1, 3} {
		clear(counts)
		n, err := view.Filled(values, threads)
		if err != nil || n != filled {
			t.Errorf("%d filled, %v, expected %d", n, err, filled)
		}
		if err := view.Visits(values, counts, threads); err != nil || !slices.Equal(counts, want) {
			t.Errorf("visits %v, %v, expected %v", counts, err, want)
		}
		err = view.Lengths(values, 6, lengths, threads)
		if err != nil || slices.Min(lengths) != 5 || slices.Max(lengths) != 5 {
			t.Errorf("lengths from %d to %d, %v, expected 5", slices.Min(lengths), slices.Max(lengths), err)
		}
	}
}

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

package launch

import (
	"errors"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Rows that the host makes arrive in their places, in ranges of any size. After an error of a range nothing is held.
func TestUploadedRows(t *testing.T) {
	cudatest.Driver(t)
	d, err := cuda.Open(0)
	if err != nil {
		t.Skip(err)
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		rows, each, width, roots int
		edges                    bool
		fails                    int // the row at which draw fails; below 0: none
	}{
		{0, 3, 4, 1, true, -1}, {1, 3, 4, 1, false, -1}, {3, 3, 5, 1, true, -1}, {200, 7, 5, 2, true, -1}, {300, 130, 140, 1, false, -1},
		{9, 2, 1, 1, true, -1}, {20, 6, 5, 1, true, 12},
	} {
		e := Engine{Device: d, Tuning: Tuning{HostRows: c.each}}
		b := plan.Batch{Roots: plan.Roots{Count: max(1, c.rows), Width: c.roots, Repeat: 1}, Edges: c.edges}
		if c.rows == 0 {
			b.Roots.Count = 0
		}
		made := 0
		r, err := e.UploadMatrix(c.width, b, func(part plan.Batch, out output.Matrix) error {
			if made == c.fails {
				return broken
			}
			if part.Roots.From != made || out.Width != c.width || out.Roots != c.roots || (out.Edges != nil) != c.edges {
				t.Fatalf("%+v: rows from %d of %+v are made after %d", c, part.Roots.From, out, made)
			}
			for i := range out.Vertices {
				out.Vertices[i] = uint32(made*c.width + i)
			}
			for i := range out.Edges {
				out.Edges[i] = int64(made*(c.width-c.roots)+i) << 33
			}
			made += part.Roots.Samples()
			return nil
		})
		if c.fails >= 0 {
			if !errors.Is(err, broken) {
				t.Errorf("%+v: error %v", c, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		out := output.Matrix{Vertices: make([]uint32, c.rows*c.width), Width: c.width, Roots: c.roots}
		want := output.Matrix{Vertices: make([]uint32, c.rows*c.width)}
		for i := range want.Vertices {
			want.Vertices[i] = uint32(i)
		}
		if c.edges {
			out.Edges, want.Edges = make([]int64, c.rows*(c.width-c.roots)), make([]int64, c.rows*(c.width-c.roots))
			for i := range want.Edges {
				want.Edges[i] = int64(i) << 33
			}
		}
		if c.rows > 0 {
			if err := r.matrixOut(out, 0, 2, nil); err != nil {
				t.Fatal(err)
			}
		}
		if made != c.rows || !slices.Equal(out.Vertices, want.Vertices) || !slices.Equal(out.Edges, want.Edges) {
			t.Errorf("%+v: %d rows were made, or others arrived", c, made)
		}
		if err := r.Free(); err != nil {
			t.Error(err)
		}
	}
}

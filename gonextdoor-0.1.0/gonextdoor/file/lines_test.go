package file

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// plainly returns the expected text of Lines, by a simple implementation.
func plainly(l Lines[int32]) string {
	var b strings.Builder
	for row := range l.Rows {
		var words []string
		for _, v := range l.Vertices[l.end(row):l.end(row+1)] {
			switch {
			case v < 0:
			case l.Names.Ints != nil:
				words = append(words, fmt.Sprint(l.Names.Ints[v]))
			case l.Names.Offsets != nil:
				words = append(words, string(l.Names.Text[l.Names.Offsets[v]:l.Names.Offsets[v+1]]))
			default:
				words = append(words, fmt.Sprint(v))
			}
		}
		b.WriteString(strings.Join(words, " ") + "\n")
	}
	return b.String()
}

// written returns the bytes that WriteLines writes.
func written[T int32 | int64](t *testing.T, codec string, l Lines[T], threads int) []byte {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "lines"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := WriteLines(int(f.Fd()), codec, l, threads, nil); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func unpacked(t *testing.T, codec string, data []byte) string {
	t.Helper()
	var r io.Reader = bytes.NewReader(data)
	var err error
	switch codec {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func names(words ...string) graph.Names {
	n := graph.Names{Offsets: []uint64{0}}
	for _, w := range words {
		n.Text = append(n.Text, w...)
		n.Offsets = append(n.Offsets, uint64(len(n.Text)))
	}
	return n
}

func TestWriteLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const rows, width, vertices = 4000, 41, 300 // several blocks
	matrix := Lines[int32]{Rows: rows, Width: width}
	for range rows * width {
		matrix.Vertices = append(matrix.Vertices, rng.Int32N(vertices+1)-1)
	}
	ragged := Lines[int32]{Rows: rows, Offsets: []int64{0}, Vertices: matrix.Vertices}
	for range rows - 1 {
		ragged.Offsets = append(ragged.Offsets, min(ragged.Offsets[len(ragged.Offsets)-1]+rng.Int64N(60), int64(len(ragged.Vertices))))
	}
	ragged.Offsets = append(ragged.Offsets, int64(len(ragged.Vertices)))
	words, ints := make([]string, vertices), make([]int64, vertices)
	for v := range vertices {
		words[v], ints[v] = fmt.Sprintf("é%d", v*v), int64(v)*1e12-5
	}
	cases := map[string]Lines[int32]{
		"nothing": {}, "one empty row": {Rows: 1, Offsets: []int64{0, 0}}, "no columns": {Rows: 3},
		"matrix": matrix, "ragged": ragged,
	}
	for name, l := range cases {
		for kind, n := range map[string]graph.Names{"numbers": {}, "ints": {Ints: ints}, "text": names(words...)} {
			l.Names = n
			want := plainly(l)
			for _, codec := range []string{"", "gzip", "zstd"} {
				t.Run(fmt.Sprintf("%s/%s/%q", name, kind, codec), func(t *testing.T) {
					data := written(t, codec, l, 1)
					if got := unpacked(t, codec, data); got != want {
						t.Fatalf("got %d bytes, want %d", len(got), len(want))
					}
					for _, threads := range []int{2, 7} {
						if !bytes.Equal(written(t, codec, l, threads), data) {
							t.Fatalf("%d threads write other bytes", threads)
						}
					}
				})
			}
		}
	}
	wide := Lines[int64]{Rows: rows, Width: width}
	for _, v := range matrix.Vertices {
		wide.Vertices = append(wide.Vertices, int64(v))
	}
	if string(written(t, "", wide, 2)) != plainly(matrix) {
		t.Error("int64 differs from int32")
	}
}

func TestNamesThatAreNoWords(t *testing.T) {
	good := []string{"a", "é", "日本", "a\u200bb", "x\x00y", "\x1b", "\U0001F600"}
	for _, name := range good {
		written(t, "", Lines[int32]{Rows: 1, Width: 1, Vertices: []int32{0}, Names: names(name)}, 1)
	}
	// All characters at which Python's str.split() splits.
	bad := []string{"", " ", "a b", "a\tb", "a\nb", "\v", "\f", "\r", "\x1c", "\x1d", "\x1e", "\x1f", "a\u0085b", "\u00a0", "\u1680", "\u2000", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"}
	for _, name := range bad {
		err := WriteLines(0, "", Lines[int32]{Names: names("fine", name)}, 1, nil)
		if refuse.KindOf(err) != refuse.KindValue || !strings.Contains(err.Error(), "vertex_names[1] = '") {
			t.Errorf("%q: %v", name, err)
		}
	}
	err := WriteLines(0, "", Lines[int32]{Names: graph.Names{Text: []byte("ab"), Offsets: []uint64{0, 5}}}, 1, nil)
	if refuse.KindOf(err) != refuse.KindFormat {
		t.Error(err)
	}
}

func TestWriteLinesRefuses(t *testing.T) {
	if err := WriteLines(-1, "", Lines[int32]{}, 1, nil); !errors.Is(err, unix.EBADF) {
		t.Error(err)
	}
	for _, l := range []Lines[int32]{{Rows: 2, Width: 2, Vertices: make([]int32, 3)}, {Rows: 2, Offsets: []int64{0, 0}}} {
		if err := WriteLines(1, "", l, 1, nil); refuse.KindOf(err) != refuse.KindValue {
			t.Error(err)
		}
	}
	if err := WriteLines(1, "bzip2", Lines[int32]{}, 1, nil); refuse.KindOf(err) != refuse.KindValue {
		t.Error(err)
	}
}

// A failed write or a stopped job ends the call with its error, with any number of workers waiting for their turn.
func TestWriteLinesEndsEarly(t *testing.T) {
	l := Lines[int32]{Rows: 1 << 14, Width: 64, Vertices: make([]int32, 1<<20)}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range l.Vertices {
		l.Vertices[i] = rng.Int32N(1 << 30) // compressed too, more than a pipe holds
	}
	for _, codec := range []string{"", "gzip", "zstd"} {
		for _, threads := range []int{1, 8} {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Skip(err)
			}
			if err := WriteLines(int(full.Fd()), codec, l, threads, nil); !errors.Is(err, unix.ENOSPC) {
				t.Errorf("%q, %d threads: %v", codec, threads, err)
			}
			full.Close()
			read, write, err := os.Pipe() // only 1000 bytes of it are read, so writing blocks
			if err != nil {
				t.Fatal(err)
			}
			var j job.Job
			stopped := make(chan error)
			go func() { stopped <- WriteLines(int(write.Fd()), codec, l, threads, &j) }()
			io.ReadFull(read, make([]byte, 1000))
			atomic.StoreInt64(&j.Stop, 1)
			if err := <-stopped; !errors.Is(err, refuse.ErrInterrupted) {
				t.Errorf("%q, %d threads: %v", codec, threads, err)
			}
			read.Close()
			write.Close()
		}
	}
}

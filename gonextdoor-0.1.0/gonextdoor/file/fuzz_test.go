package file

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// FuzzRead reads any bytes in any format. They are a list of edges or rejected, equally on one thread and on three.
func FuzzRead(f *testing.F) {
	for _, c := range goldens {
		f.Add([]byte(c.text), suffix(c.file))
		f.Add(gzipped([]byte(c.text)), suffix(c.file))
		f.Add(zstandard([]byte(c.text)), suffix(c.file))
	}
	f.Add([]byte("source,target,weight,time,label\n\"a\",b,1,2,3\n\"a\nb\",c,2,-3,4\n"), "csv")
	f.Add([]byte("weight time source target type\n1 2 3 4 5\n1 -2 3 5000000000 5\n"), "txt")
	for _, c := range refusals {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text), suffix(c.file))
		}
	}
	path := filepath.Join(f.TempDir(), "a")
	f.Fuzz(func(t *testing.T, data []byte, ending string) {
		o := Options{Format: suffixes[ending], Threads: 1, Columns: Choices{Weight: Choice{Use: Auto}}}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		live := offheap.Live()
		a, _, errA := readEdges(path, o)
		o.Threads = 3
		b, _, errB := readEdges(path, o)
		if (errA == nil) != (errB == nil) || errA != nil && (errA.Error() != errB.Error() || refuse.KindOf(errA) == "") {
			t.Fatalf("one thread: %v; three: %v", errA, errB)
		}
		if errA == nil {
			if !slices.Equal(a.times, b.times) || !slices.Equal(a.labels, b.labels) || !slices.Equal(a.weights, b.weights) {
				t.Fatal("one thread and three read other attributes")
			}
			for i, u := range a.src {
				if int(u) >= a.vertices || int(a.dst[i]) >= a.vertices || u != b.src[i] || a.dst[i] != b.dst[i] {
					t.Fatalf("edge %d: %d to %d of %d; %d to %d", i, u, a.dst[i], a.vertices, b.src[i], b.dst[i])
				}
			}
			for _, l := range []*edgeList{a, b} {
				l.Close()
				l.freeNames()
			}
		}
		if offheap.Live() != live {
			t.Fatal("arrays were not freed")
		}
	})
}

// FuzzNpy parses any header. The parser never panics, and never accepts more elements than the file holds.
func FuzzNpy(f *testing.F) {
	for _, code := range []string{"u1", "u4", "u8", "i2"} {
		head, err := npyHead(code, 3)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(append(head, make([]byte, 24)...))
	}
	f.Add([]byte("\x93NUMPY\x01\x00\x46\x00{'descr': '', 'fortran_order': False, 'shape': (-1,), }              \n"))
	f.Add([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr': '<u8', 'fortran_order': False, 'shape': (x,), }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := readNpy("a.npy", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, a := range arrays {
			if h.check("a.npy", a.code, a.width, h.length, int64(len(data))) == nil && h.offset+h.length*a.width > int64(len(data)) {
				t.Fatalf("%+v is believed of %d bytes", h, len(data))
			}
		}
	})
}

// FuzzRecord opens a folder with any graph.json. It is rejected, or the graph is valid.
func FuzzRecord(f *testing.F) {
	folder := saved(f, full(f))
	path := filepath.Join(folder, recordName)
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(bytes.ReplaceAll(text, []byte("4"), []byte("0")))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := parseRecord(path, data); err != nil {
			return
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		g, err := Open(folder)
		if err != nil {
			return
		}
		defer g.Close()
		if g.Validate() == nil && (g.NumVertices() != 4 || g.NumEdges() != 4) {
			t.Fatalf("%s is believed", data)
		}
	})
}

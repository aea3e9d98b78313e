package file

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// damages lists faults in the files of a folder. Open or Validate must detect each of them.
var damages = []struct {
	name, file string
	damage     func([]byte) []byte
	want       string
}{
	{"flipped bit", "biases.npy", flip(130), "the checksum of the data is"},
	{"truncated", "indices.npy", func(b []byte) []byte { return b[:len(b)-1] }, "the file is truncated: the header promises 4 elements, but the file has room for 3"},
	{"header only", "times.npy", func(b []byte) []byte { return b[:50] }, "should have 128 bytes, but the file has 50"},
	{"empty", "labels.npy", func(b []byte) []byte { return nil }, "not a npy file"},
	{"other length", "labels.npy", swap("(4,)", "(3,)"), "3 elements of dtype i4, expected 4 of dtype i4"},
	{"immense length", "labels.npy", swap("(4,),}"+strings.Repeat(" ", 18), "(1152921504606846976,),}"), "1152921504606846976 elements of dtype i4, expected 4"},
	{"overflowing length", "labels.npy", swap("(4,)", "(99999999999999999999,)"), "malformed npy header"},
	{"two dimensions", "labels.npy", swap("(4,)", "(2,2)"), "expected a one-dimensional"},
	{"other dtype", "labels.npy", swap("<i4", "<f4"), "expected 4 of dtype i4"},
	{"big-endian", "labels.npy", swap("<i4", ">i4"), "little-endian"},
	{"no json", recordName, func(b []byte) []byte { return b[:20] }, "unexpected end of JSON"},
	{"other json", recordName, func(b []byte) []byte { return []byte("{}") }, `format is "", expected "gonextdoor graph"`},
	{"newer", recordName, swap(`"version": 1`, `"version": 3`), "version is 3, this gonextdoor reads up to 2"},
	{"vertices", recordName, swap(`"vertices": 4`, `"vertices": 5`), "array indptr has shape [5], expected [6]"},
	{"negative", recordName, swap(`"vertices": 4`, `"vertices": -1`), "-1 vertices"},
	{"edges", recordName, swap(`"edges": 4`, `"edges": 1152921504606846976`), "has shape [4]"},
	{"sinks", recordName, swap(`"sinks": true`, `"sinks": false`), "sinks: true, graph.json says 2 and false"},
	{"degree", recordName, swap(`"max_degree": 2`, `"max_degree": 1`), "the largest degree is 2"},
	{"negative id", recordName, swap(`"sinks": true`, `"sinks": true, "next_id": -1`), "next_id is -1, expected the id of the next edge"},
	{"id of an edge", recordName, swap(`"sinks": true`, `"sinks": true, "next_id": 3`), "next_id is 3: expected 4 to 1099511627780"},
	{"immense id", recordName, swap(`"sinks": true`, `"sinks": true, "next_id": 1152921504606846976`), "next_id is 1152921504606846976: expected 4 to"},
	{"id of no edge", recordName, swap(`"sinks": true`, `"sinks": true, "next_id": 4, "no_edge_ids": true`), "next_id is 4, but no_edge_ids is set"},
	{"missing companion", recordName, swap(`"scales"`, `"scalesx"`), `array "scalesx" of dtype "<i2" is not known`},
	{"checksum", recordName, swap(`"crc32c": "`, `"crc32c": "x`), "expected eight hexadecimal digits"},
}

func flip(at int) func([]byte) []byte {
	return func(b []byte) []byte { b[at] ^= 4; return b }
}

func swap(from, to string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.Replace(b, []byte(from), []byte(to), 1) }
}

func TestDamage(t *testing.T) {
	for _, d := range damages {
		folder := saved(t, full(t))
		path := filepath.Join(folder, d.file)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, d.damage(b), 0o666); err != nil {
			t.Fatal(err)
		}
		g, err := Open(folder)
		if err == nil {
			err = g.Validate()
			g.Close()
		}
		if refuse.KindOf(err) != refuse.KindFormat || !strings.Contains(err.Error(), d.want) || !strings.Contains(err.Error(), path[:len(path)-4]) && !strings.Contains(err.Error(), folder) {
			t.Errorf("%s: %v, expected %s", d.name, err, d.want)
		}
	}
	folder := saved(t, full(t))
	if err := os.Remove(filepath.Join(folder, "biases.npy")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(folder); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// Validate rejects arrays that are not a graph even if their checksums are right.
func TestWrongContent(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		data []byte
		want string
	}{
		"range":      {"indices.npy", []byte{1, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "indices[1] = 4: expected a vertex below 4"},
		"order":      {"indices.npy", []byte{2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "expected rows in ascending order"},
		"descending": {"indptr.npy", offsets(0, 5, 3, 4, 4), "expected offsets that do not decrease"},
		"beyond":     {"indptr.npy", offsets(0, 1<<60, 3, 4, 4), "expected offsets that do not decrease"},
		"begin":      {"indptr.npy", offsets(1, 2, 3, 4, 4), "indptr begins with 1 and ends with 4: expected 0 and 4"},
	} {
		folder := saved(t, full(t))
		remake(t, folder, c.file, c.data)
		g, err := Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Validate(); refuse.KindOf(err) != refuse.KindFormat || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", name, err, c.want)
		}
		g.Close()
	}
}

func offsets(values ...uint64) (b []byte) {
	for _, v := range values {
		for k := range 8 {
			b = append(b, byte(v>>(8*k)))
		}
	}
	return b
}

// remake replaces the data in a file of a folder, and their checksum in the record.
func remake(t *testing.T, folder, name string, data []byte) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r, err := readRecord(folder)
	if err != nil {
		t.Fatal(err)
	}
	key := strings.TrimSuffix(name, ".npy")
	w, err := createNpy(folder, arrayOf(key, r.Arrays[key].Dtype[1:]), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if r.Arrays[key], err = w.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, recordName)); err != nil {
		t.Fatal(err)
	}
	if err := r.save(folder); err != nil {
		t.Fatal(err)
	}
}

// A file that is truncated while it is mapped causes an error and does not end the process.
func TestCutWhileMapped(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "graph")
	w, err := NewWriter(folder, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AppendRows(Rows{Indptr: []uint64{0, 1 << 20}, Indices: make([]uint32, 1<<20)}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	g, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := os.Truncate(filepath.Join(folder, "indices.npy"), 1<<20); err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); refuse.KindOf(err) != refuse.KindFormat || !strings.Contains(err.Error(), "became shorter after it was opened") {
		t.Error(err)
	}
	if w, err := index.EndWordsOf(g, g.NumEdges(), graph.Options{}); err == nil || w.First != nil {
		t.Errorf("words of ends that were cut: %v", err)
	}
	if err := Save(g, filepath.Join(filepath.Dir(folder), "other"), nil); err == nil {
		t.Error("saved")
	}
	alone(t, folder)
}

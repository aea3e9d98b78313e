package feature_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/feature"
)

// Gather copies the rows that Read copies, from one part, several parts and files.
func TestGatherEqualsRead(t *testing.T) {
	const rowBytes, rows = 24, 500
	table := make([]byte, rows*rowBytes)
	for i := range table {
		table[i] = byte(i * 7 / 3)
	}
	memory := func(from, to int64) feature.Part {
		return feature.Part{Rows: to - from, Address: unsafe.Pointer(&table[from*rowBytes]), Stride: rowBytes}
	}
	path := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(path, table, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file := feature.Part{Rows: 300, Stride: rowBytes, File: int(f.Fd()), Name: path, Offset: 200 * rowBytes}
	for name, c := range map[string]struct {
		parts        []feature.Part
		block, files bool
	}{
		"one part":        {[]feature.Part{memory(0, rows)}, true, false},
		"several parts":   {[]feature.Part{memory(0, 100), memory(100, rows)}, false, false},
		"memory and file": {[]feature.Part{memory(0, 200), file}, false, false},
		"file":            {[]feature.Part{{Rows: rows, Stride: rowBytes, File: int(f.Fd()), Name: path}}, false, true},
	} {
		h, err := feature.New(c.parts, rowBytes)
		if err != nil {
			t.Fatal(err)
		}
		var ids []uint32
		var long []int64
		for i := range 1000 {
			ids = append(ids, uint32(i*i%rows))
			long = append(long, int64(i*i%rows))
		}
		got, want := make([]byte, len(ids)*rowBytes), make([]byte, len(ids)*rowBytes)
		if err := h.Read(feature.Request{IDs: feature.Of(long), Values: want, Threads: 1}); err != nil {
			t.Fatal(err)
		}
		if err := h.Gather(ids, got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: other rows (%v)", name, err)
		}
		if n, size := h.Shape(); n != rows || size != rowBytes {
			t.Errorf("%s: %d rows of %d bytes", name, n, size)
		}
		if b := h.Block(); c.block != bytes.Equal(b, table) || !c.block && b != nil {
			t.Errorf("%s: a block of %d bytes", name, len(b))
		}
		if h.OnlyFiles() != c.files {
			t.Errorf("%s: only files: %v", name, h.OnlyFiles())
		}
	}
}

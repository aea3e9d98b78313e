package file

import (
	"encoding/json"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// edited changes the record of a partitioned folder, and its hash.
func edited(change func(r *partitionRecord)) func(t *testing.T, folder string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		path := filepath.Join(folder, partitionName)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var r partitionRecord
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		change(&r)
		version, format := r.Version, r.Format
		if r.Content, err = r.sum(); err != nil {
			t.Fatal(err)
		}
		r.Version, r.Format = version, format
		if text, err = json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// rewritten changes the bytes of a file.
func rewritten(name string, change func([]byte) []byte) func(t *testing.T, folder string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), change(b), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// removed removes a file or folder.
func removed(name string) func(t *testing.T, folder string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// ofAnotherRun replaces a part by that of a partition of another graph with as many vertices and edges.
func ofAnotherRun(t *testing.T, folder string) {
	t.Helper()
	h := full(t)
	h.Times = []int64{1, 2, 3, 4}
	other := partitioned(t, h, Partitioning{Owner: byMap(h, 2), Hot: []uint32{1}})
	mine := filepath.Join(folder, "part-00001")
	if err := errors.Join(os.RemoveAll(mine), os.Rename(filepath.Join(other, "part-00001"), mine)); err != nil {
		t.Fatal(err)
	}
}

func TestPartitionDamage(t *testing.T) {
	original := partitioned(t, full(t), Partitioning{Owner: byMap(full(t), 2), By: "test", Hot: []uint32{1}})
	for name, c := range map[string]struct {
		damage func(t *testing.T, folder string)
		want   string
	}{
		"missing part":      {removed("part-00001"), "the folder part-00001 is missing, expected 2 parts"},
		"missing hot rows":  {removed("hot"), "the folder hot is missing"},
		"incomplete part":   {removed("part-00001/graph.json"), "part-00001 is missing or incomplete"},
		"missing array":     {removed("part-00001/indices.npy"), "indices.npy"},
		"missing owner":     {removed("owner.npy"), "owner.npy"},
		"missing degrees":   {removed("degrees.npy"), "degrees.npy"},
		"other run":         {ofAnotherRun, "the parts are of different runs"},
		"unknown version":   {edited(func(r *partitionRecord) { r.Version = 9 }), "version is 9, this gonextdoor reads up to 2"},
		"other format":      {edited(func(r *partitionRecord) { r.Format = "x" }), `format is "x", expected "gonextdoor partitioned graph"`},
		"changed by hand":   {rewritten(partitionName, swap(`"parts": 2`, `"parts": 2 `)), ""},
		"changed value":     {rewritten(partitionName, swap(`"by": "`, `"by": "x`)), "the hash of its content is"},
		"no json":           {rewritten(partitionName, func(b []byte) []byte { return b[:20] }), "unexpected end of JSON"},
		"too many parts":    {edited(func(r *partitionRecord) { r.Parts = 3 }), "3 parts, and the rows of 2"},
		"negative vertices": {edited(func(r *partitionRecord) { r.Vertices = -4 }), "-4 vertices"},
		"vertices":          {edited(func(r *partitionRecord) { r.Vertices = 5 }), "the parts have 4 vertices and 4 edges together, expected 5 and 4"},
		"rows":              {edited(func(r *partitionRecord) { r.Rows[0].Edges = 9 }), "part 0 has 2 vertices and 9 edges"},
		"hot":               {edited(func(r *partitionRecord) { r.HotRows.Vertices = 9 }), "9 hot vertices"},
		"no hot":            {edited(func(r *partitionRecord) { r.HotRows = nil }), "array hot has shape [1], expected [0]"},
		"kind":              {edited(func(r *partitionRecord) { r.Kind = "modulo" }), `kind is "modulo"`},
		"ranges":            {edited(func(r *partitionRecord) { r.Kind = rangesKind }), `kind is "ranges", expected`},
		"bounds": {edited(func(r *partitionRecord) {
			r.Kind, r.Bounds = rangesKind, []uint32{0, 4}
			delete(r.Arrays, "owner")
		}), "2 bounds, expected 3 from 0 to 4"},
		"bounds beyond": {edited(func(r *partitionRecord) {
			r.Kind, r.Bounds = rangesKind, []uint32{0, 9, 4}
			delete(r.Arrays, "owner")
		}), "bounds[1] = 9 after 0"},
		"array":           {edited(func(r *partitionRecord) { r.Arrays["x"] = r.Arrays["owner"] }), `array "x" of dtype "<u1" is not known`},
		"dtype":           {edited(func(r *partitionRecord) { r.Arrays["owner"] = stored{"<f4", []int64{4}, "00000000"} }), `array "owner" of dtype "<f4" is not known`},
		"empty dtype":     {edited(func(r *partitionRecord) { r.Arrays["owner"] = stored{"", []int64{4}, "00000000"} }), `array "owner" of dtype "" is not known`},
		"shape":           {edited(func(r *partitionRecord) { r.Arrays["owner"] = stored{"<u1", []int64{5}, "00000000"} }), "array owner has shape [5], expected [4]"},
		"sum":             {edited(func(r *partitionRecord) { r.Arrays["owner"] = stored{"<u1", []int64{4}, "zz"} }), "expected eight hexadecimal digits"},
		"wide owner":      {edited(func(r *partitionRecord) { r.Arrays["owner"] = stored{"<u2", []int64{4}, "00000000"} }), "array owner has dtype <u2 for 2 parts"},
		"no degrees":      {edited(func(r *partitionRecord) { delete(r.Arrays, "degrees") }), "expected the array degrees"},
		"weights":         {edited(func(r *partitionRecord) { r.Weighted = false }), "its vertices, edges or arrays are not those of partition.json"},
		"shorter owner":   {rewritten("owner.npy", swap("(4,)", "(3,)")), "3 elements of dtype u1, expected 4"},
		"truncated owner": {rewritten("owner.npy", func(b []byte) []byte { return b[:len(b)-1] }), "the file is truncated"},
		"owner value":     {rewritten("owner.npy", func(b []byte) []byte { b[128] = 7; return b }), "owner.npy: the checksum of the data is"},
		"degree":          {rewritten("degrees.npy", flip(129)), "degrees.npy: the checksum of the data is"},
		"hot vertex":      {rewritten("hot.npy", flip(128)), "hot.npy: the checksum of the data is"},
		"row":             {rewritten("part-00000/indices.npy", flip(128)), "indices.npy: the checksum of the data is"},
		"owners":          {forgedOwners([]byte{0, 0, 0, 1}), "part 0 owns 3 vertices, partition.json says 2"},
		"owner beyond":    {forgedOwners([]byte{0, 1, 2, 1}), "owner[2] = 2: expected a part below 2"},
	} {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS(original)); err != nil {
			t.Fatal(err)
		}
		c.damage(t, folder)
		err := readAll(folder)
		if name == "changed by hand" { // white space is no change
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || refuse.KindOf(err) != refuse.KindFormat && !os.IsNotExist(err) {
			t.Errorf("%s: %v, expected %s", name, err, c.want)
		}
	}
}

// forgedOwners replaces the owners, with a checksum that matches.
func forgedOwners(owners []byte) func(t *testing.T, folder string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		rewritten("owner.npy", func(b []byte) []byte { return append(b[:128], owners...) })(t, folder)
		edited(func(r *partitionRecord) {
			r.Arrays["owner"] = stored{"<u1", []int64{4}, checksumText(crc32.Checksum(owners, graph.Castagnoli))}
		})(t, folder)
	}
}

// readAll opens and validates everything in a folder.
func readAll(folder string) error {
	p, err := OpenPartition(folder)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := p.CheckShared(graph.Options{}); err != nil {
		return err
	}
	for i := range p.Parts() {
		if err := p.CheckPart(i, partName(i), graph.Options{}); err != nil {
			return err
		}
	}
	return nil
}

// The rows of a part are checked in a folder of any name, so that a copy can be checked before it has that of the part.
func TestCheckPart(t *testing.T) {
	folder := partitioned(t, full(t), Partitioning{Owner: byMap(full(t), 2)})
	p, err := OpenPartition(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := os.CopyFS(filepath.Join(folder, "copy"), os.DirFS(filepath.Join(folder, "part-00001"))); err != nil {
		t.Fatal(err)
	}
	if err := p.CheckPart(1, "copy", graph.Options{}); err != nil {
		t.Error(err)
	}
	if err := p.CheckPart(0, "copy", graph.Options{}); refuse.KindOf(err) != refuse.KindFormat || !strings.Contains(err.Error(), "different runs") {
		t.Error(err)
	}
	if err := p.CheckPart(2, "copy", graph.Options{}); refuse.KindOf(err) != refuse.KindIndex {
		t.Error(err)
	}
}

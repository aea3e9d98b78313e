package feature_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/feature"
	"gonextdoor/gonextdoor/refuse"
)

// Ids of every type are read and checked.
func TestIDsOfEveryType(t *testing.T) {
	rows := int64(100)
	check := func(name string, ids feature.IDs, want []int64, text string) {
		t.Helper()
		got := make([]int64, ids.Count)
		err := ids.Copy(0, got, rows)
		if text == "" && (err != nil || !slices.Equal(got, want)) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if text != "" && (refuse.KindOf(err) != refuse.KindIndex || !strings.HasPrefix(err.Error(), text)) {
			t.Errorf("%s: %v, expected %s", name, err, text)
		}
	}
	all := []int64{0, 99, 5}
	check("int8", idsOf[int8](-1, 0, 99, 5), all, "")
	check("int16", idsOf[int16](-2, 0, 99, 5), all, "")
	check("int32", idsOf[int32](-4, 0, 99, 5), all, "")
	check("int64", idsOf[int64](-8, 0, 99, 5), all, "")
	check("uint8", idsOf[uint8](1, 0, 99, 5), all, "")
	check("uint16", idsOf[uint16](2, 0, 99, 5), all, "")
	check("uint32", idsOf[uint32](4, 0, 99, 5), all, "")
	check("uint64", idsOf[uint64](8, 0, 99, 5), all, "")
	check("int8 below", idsOf[int8](-1, 0, -3), nil, "ids[1] = -3: there are 100 rows, expected 0 to 99")
	check("uint8 above", idsOf[uint8](1, 200), nil, "ids[0] = 200: ")
	check("int64 above", idsOf[int64](-8, 0, 1, 100), nil, "ids[2] = 100: ")
	check("uint64 above", idsOf[uint64](8, 1<<63), nil, "ids[0] = 9223372036854775808: ")
	rows = 0
	check("none", idsOf[int64](-8, 0), nil, "ids[0] = 0: there are no rows")
	if err := (feature.IDs{Kind: 3}).Copy(0, nil, 1); refuse.KindOf(err) != refuse.KindType {
		t.Errorf("integers of 3 bytes: %v", err)
	}
}

func idsOf[T any](kind int64, ids ...T) feature.IDs {
	return feature.IDs{Address: unsafe.Pointer(&ids[0]), Count: int64(len(ids)), Kind: kind}
}

// The position in an error is that in the whole array, and that of the first bad id, on any number of threads.
func TestTheFirstBadIDIsNamed(t *testing.T) {
	memory, _ := memoryPart(t, 10, 400, 0, 1)
	file, _ := filePart(t, 10, 400, 0, 1)
	ids := make([]int64, 30_000)
	ids[29_000], ids[21_000] = -1, 10
	for _, p := range []feature.Part{memory, file} {
		for _, threads := range []int{1, 4} {
			q := feature.Request{IDs: feature.Of(ids), Values: make([]byte, 400*len(ids)), Threads: threads}
			err := open(t, []feature.Part{p}, 400).Read(q)
			if refuse.KindOf(err) != refuse.KindIndex || !strings.HasPrefix(err.Error(), "ids[21000] = 10: ") {
				t.Errorf("%d threads: %v", threads, err)
			}
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []int{4, 400, 1024} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			rows := 256 << 20 / size
			memory := make([]byte, rows*size)
			h, err := feature.New([]feature.Part{{Rows: int64(rows), Address: unsafe.Pointer(&memory[0]), Stride: int64(size)}}, int64(size))
			if err != nil {
				b.Fatal(err)
			}
			ids := some(20_000, rows, 1)
			q := feature.Request{IDs: feature.Of(ids), Values: make([]byte, size*len(ids))}
			b.SetBytes(int64(len(q.Values)))
			for b.Loop() {
				if err := h.Read(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

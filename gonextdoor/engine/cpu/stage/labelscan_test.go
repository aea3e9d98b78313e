package stage

import (
	"testing"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// Both forms add up the biases of a label, and find the edge at which a sum is exceeded, at all places and lengths of a row.
func TestLabelScanAddsUp(t *testing.T) {
	const n = 100
	words := rng.NewStream(1, rng.Choices).Key(3)
	labels, biases := make([]int32, n), make([]uint32, n)
	for i := range labels {
		word := words.Word(uint64(i))
		labels[i], biases[i] = int32(word>>61)-2, uint32(word)
	}
	for _, biases := range [][]uint32{nil, biases} {
		l := labelScan{labels: labels, biases: biases}
		for first := range uint64(9) {
			for _, label := range []int32{-2, 0, 77} {
				sum := uint64(0)
				for end := first; end < n; end++ {
					for _, pure := range []bool{false, true} {
						if got := l.sum(first, end, label, pure); got != sum {
							t.Fatalf("edges %d to %d, label %d, pure %v: sum %d, want %d", first, end, label, pure, got, sum)
						}
					}
					if labels[end] != label {
						continue
					}
					bias := uint64(1)
					if biases != nil {
						bias = uint64(biases[end])
					}
					for _, x := range []uint64{sum, sum + bias/2, sum + bias - 1} {
						for _, pure := range []bool{false, true} {
							if got := l.above(first, label, x, pure); got != end {
								t.Fatalf("from edge %d, label %d, sum %d, pure %v: edge %d, want %d", first, label, x, pure, got, end)
							}
						}
					}
					sum += bias
				}
			}
		}
	}
}

// One caller adds up a row; others do not know its sum until then.
func TestOneCallerAddsUpARow(t *testing.T) {
	row := make(index.RowSums, 3)
	if _, known := row.Total(); known || !row.Begin() || row.Begin() {
		t.Fatal("a row was added up before, or two callers add it up")
	}
	if _, known := row.Total(); known {
		t.Fatal("the sum is known while a caller adds up the row")
	}
	row[0], row[1] = 0, 7
	row.End(0)
	if total, known := row.Total(); total != 0 || !known || row.Begin() {
		t.Fatalf("sum %d, known %v", total, known)
	}
	for x, want := range []int{1, 1, 1, 1, 1, 1, 1, 2, 2} {
		if segment, _ := row.Find(uint64(x)); segment != want {
			t.Errorf("sum %d is exceeded in segment %d, want %d", x, segment, want)
		}
	}
	if row := (index.LabelSums{}).Row(0, 1000); row.Begin() {
		t.Error("a row that is not stored is added up")
	}
}

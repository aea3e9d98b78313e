package selector

import (
	"testing"

	"gonextdoor/gonextdoor/rng"
)

func TestAddRowEqualsAdd(t *testing.T) {
	for name, kind := range biasKinds {
		for id := range uint64(400) {
			biases := kindBiases(kind, int(id), id)
			key := rng.NewStream(6, rng.Choices).Key(id)
			whole, cut := Reserve{Key: key}, Reserve{Key: key}
			want := Reservoir(key, len(biases), func(i int) uint64 { return uint64(biases[i]) })
			at := int(id * 7 % (id + 1))
			whole.AddRow(0, biases)
			cut.AddRow(0, biases[:at])
			cut.AddRow(at, biases[at:])
			if whole.Held() != want || cut.Held() != want {
				t.Fatalf("%s, %d biases: %d, cut %d, expected %d", name, id, whole.Held(), cut.Held(), want)
			}
		}
	}
}

package rng

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"
)

// knownAnswers reads testdata/known_answers.json, which testdata/known_answers.py wrote. The Python tests read it too.
func knownAnswers(t *testing.T) map[string][][]uint64 {
	t.Helper()
	text, err := os.ReadFile("testdata/known_answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var tables map[string][][]string
	if err := json.Unmarshal(text, &tables); err != nil {
		t.Fatal(err)
	}
	known := map[string][][]uint64{}
	for name, table := range tables {
		for _, row := range table {
			var numbers []uint64
			for _, field := range row {
				x, err := strconv.ParseUint(field, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				numbers = append(numbers, x)
			}
			known[name] = append(known[name], numbers)
		}
	}
	return known
}

func TestKnownAnswers(t *testing.T) {
	known := knownAnswers(t)
	answers := map[string]func(r []uint64) []uint64{
		"mix: x, mix": func(r []uint64) []uint64 { return []uint64{r[0], Mix(r[0])} },
		"words: seed, purpose, id, step, try, stream, key, word": func(r []uint64) []uint64 {
			s := NewStream(r[0], Purpose(r[1]))
			k := s.Key(r[2])
			return append(r[:5:5], uint64(s), uint64(k), k.Word(Slot(r[3], r[4])))
		},
		"hung: key, slot, id, key under the slot": func(r []uint64) []uint64 {
			return append(r[:3:3], uint64(Key(r[0]).Stream(r[1]).Key(r[2])))
		},
		"numbers: stream, id, number": func(r []uint64) []uint64 {
			return append(r[:2:2], Stream(r[0]).Number(uint32(r[1])))
		},
		"below: word, n, index, fraction, second": func(r []uint64) []uint64 {
			i, f := Below(r[0], r[1])
			return append(r[:2:2], i, uint64(f), uint64(Second(r[0])))
		},
	}
	if len(known) != len(answers) {
		t.Fatalf("%d tables of known answers, expected %d", len(known), len(answers))
	}
	for name, answer := range answers {
		if len(known[name]) == 0 {
			t.Errorf("no known answers for %s", name)
		}
		for _, want := range known[name] {
			got := answer(want)
			for i := range want {
				if len(got) != len(want) || got[i] != want[i] {
					t.Errorf("%s: got %d, want %d", name, got, want)
					break
				}
			}
		}
	}
}

// The numbers of the purposes are part of the reproducibility contract.
func TestPurposes(t *testing.T) {
	for want, p := range []Purpose{Choices, Roots, Seeds, Edges, Weights, Order, Clusters, Negatives, Batches, Scores} {
		if p != Purpose(want) {
			t.Errorf("purpose %d, want %d", p, want)
		}
	}
}

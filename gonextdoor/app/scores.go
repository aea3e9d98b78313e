package app

import (
	"encoding/json"
	"fmt"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// Scores are a weight for each vertex of a graph, as integers like those of edges: in units in which the largest lies in
// [2^31, 2^32), rounded half to even, no positive one to 0.
type Scores struct {
	biases []uint32
	alias  []index.AliasSlot
}

// NewScores takes the scores of all vertices.
func NewScores(weights []float64) (*Scores, error) {
	positive := false
	for v, w := range weights {
		if !(w >= 0 && w-w == 0) {
			return nil, refuse.Value("scores[%d] = %v: expected a finite number, at least 0", v, w)
		}
		positive = positive || w > 0
	}
	if !positive {
		return nil, refuse.Value("scores: expected a positive one")
	}
	biases, alias := index.WeighVertices(weights)
	return &Scores{biases, alias}, nil
}

// UnmarshalJSON reads an array of a caller's float64s, which are not kept.
func (s *Scores) UnmarshalJSON(text []byte) error {
	var given graph.Array
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	weights, err := graph.Elements[float64](given)
	if err != nil {
		return err
	}
	made, err := NewScores(weights)
	if err == nil {
		*s = *made
	}
	return err
}

// String names the scores without their values.
func (s *Scores) String() string {
	if s == nil {
		return "none"
	}
	return fmt.Sprintf("of %d vertices", len(s.biases))
}

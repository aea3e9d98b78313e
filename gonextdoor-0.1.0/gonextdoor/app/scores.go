package app

import (
	"encoding/json"
	"fmt"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// Scores is a weight per vertex of a graph, in fixed point as those of edges are: in a unit in which the largest is in
// [2^31, 2^32), rounded half to even. A positive weight never becomes 0.
type Scores struct {
	biases   []uint32
	alias    []index.AliasSlot
	positive int // elements of biases that are not 0
}

// NewScores returns the scores of all vertices. It returns an error unless they are finite, not negative, and one at least
// is positive. It does not keep weights.
func NewScores(weights []float64) (*Scores, error) {
	positive := 0
	for v, w := range weights {
		if !(w >= 0 && w-w == 0) {
			return nil, refuse.Value("scores[%d] = %v: expected a finite number of at least 0", v, w)
		}
		if w > 0 {
			positive++
		}
	}
	if positive == 0 {
		return nil, refuse.Value("scores: expected at least one positive score")
	}
	biases, alias := index.WeighVertices(weights)
	return &Scores{biases, alias, positive}, nil
}

// Positive returns the number of vertices with a positive score.
func (s *Scores) Positive() int { return s.positive }

// Candidates returns the vertices with their scores as biases.
func (s *Scores) Candidates() index.Candidates {
	return index.Candidates{N: uint64(len(s.biases)), Biases: s.biases, Alias: s.alias}
}

// UnmarshalJSON reads the description of an array of float64, which is not kept.
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

// String describes the scores without their values.
func (s *Scores) String() string {
	if s == nil {
		return "none"
	}
	return fmt.Sprintf("of %d vertices", len(s.biases))
}

// Package apptest computes the exact distribution of every app from the definition in the literature, independently of the
// code that samples, and compares the samples with it.
package apptest

import (
	"slices"
	"strconv"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/internal/stattest"
)

// script is one path through a probabilistic program: the program calls it for every choice and for every part of the
// outcome.
type script struct {
	chosen []int // the options chosen so far, in order
	at     int   // the index of the next choice
	more   []int // for each choice, the next option with a positive weight, or -1
	p      float64
	out    []byte
}

// choose returns one option with probability proportional to its weight, or -1 if all are 0.
func (s *script) choose(weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	if sum == 0 {
		return -1
	}
	after := func(i int) int {
		for i++; i < len(weights); i++ {
			if weights[i] > 0 {
				return i
			}
		}
		return -1
	}
	if s.at == len(s.chosen) {
		s.chosen = append(s.chosen, after(-1))
	}
	i := s.chosen[s.at]
	s.at++
	s.more = append(s.more, after(i))
	s.p *= weights[i] / sum
	return i
}

// flip is true with probability p.
func (s *script) flip(p float64) bool { return s.choose([]float64{p, 1 - p}) == 0 }

// write appends the position of an edge to the outcome.
func (s *script) write(position uint64) { s.out = appendPosition(s.out, position) }

func (s *script) mark(text string) { s.out = append(s.out, text...) }

// enumerate runs the program with every possible sequence of choices, and adds up the probabilities of each outcome.
func enumerate(program func(s *script)) stattest.Distribution {
	exact := stattest.Distribution{}
	var chosen []int
	for {
		s := &script{chosen: slices.Clone(chosen), p: 1}
		program(s)
		exact[string(s.out)] += s.p
		last := len(s.more) - 1
		for last >= 0 && s.more[last] < 0 {
			last--
		}
		if last < 0 {
			return exact
		}
		chosen = append(s.chosen[:last:last], s.more[last])
	}
}

func appendPosition(out []byte, position uint64) []byte {
	if position == graph.NoEdge {
		return append(out, "- "...)
	}
	return append(strconv.AppendUint(out, position, 10), ' ')
}

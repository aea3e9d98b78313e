// Package apptest states the exact law of every app, from the definitions in the literature and apart from the code
// that samples, and compares what is drawn with it.
//
// It is internal to the tests of this module; it is not in a folder named internal so that it is beside what it tests.
package apptest

import (
	"slices"
	"strconv"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/stattest"
)

// script tells how an outcome comes about: a program asks it for every choice and writes the outcome down.
type script struct {
	chosen []int // by the programs' choices, in order
	at     int   // the choice that is next
	more   []int // at each choice, the option behind the chosen one, or -1
	p      float64
	out    []byte
}

// choose takes one option in proportion to its weight, or -1 if all are 0.
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

// write adds the position of an edge to the outcome.
func (s *script) write(position uint64) { s.out = appendPosition(s.out, position) }

func (s *script) mark(text string) { s.out = append(s.out, text...) }

// enumerate runs the program with every possible sequence of choices and sums the probability of each outcome.
func enumerate(program func(s *script)) stattest.Law {
	law := stattest.Law{}
	var chosen []int
	for {
		s := &script{chosen: slices.Clone(chosen), p: 1}
		program(s)
		law[string(s.out)] += s.p
		last := len(s.more) - 1
		for last >= 0 && s.more[last] < 0 {
			last--
		}
		if last < 0 {
			return law
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

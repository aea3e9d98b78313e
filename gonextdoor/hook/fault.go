package hook

import (
	"fmt"
	"math"
	"sync/atomic"

	"gonextdoor/gonextdoor/refuse"
)

// Kind is what went wrong inside a hook.
type Kind uint8

// The kinds of faults. Their numbers cross to Python.
const (
	OutOfArray    Kind = 1
	NoVertex      Kind = 2
	NoEdge        Kind = 3
	Negative      Kind = 4
	TooLarge      Kind = 5
	DividedByZero Kind = 6
	Overflow      Kind = 7
	Failed        Kind = 8
	NotAVertex    Kind = 9 // what next or update returned is neither a vertex nor NULL
	AboveBound    Kind = 10
	NotFinite     Kind = 11
	Endless       Kind = 12
	NotANeighbor  Kind = 13 // strict apps: the vertex returned
	NeverEnds     Kind = 14
	BadFanout     Kind = 15
)

// The bounds that faults speak of.
const (
	MaxSteps  = 65535   // of a sample that has no other end
	MaxFanout = 1 << 20 // that a hook may return
	maxRounds = 1 << 20 // of the loops of one hook call; compiled hooks count them
)

// Faults says what each kind is to the user: the class of the error and its text.
var Faults = map[Kind]struct {
	Class refuse.Kind
	Text  string
}{
	OutOfArray:    {refuse.KindIndex, "array index out of range"},
	NoVertex:      {refuse.KindIndex, "vertex out of range"},
	NoEdge:        {refuse.KindIndex, "edge out of range"},
	Negative:      {refuse.KindValue, "bias is negative"},
	TooLarge:      {refuse.KindValue, "bias exceeds 2**32-1"},
	DividedByZero: {refuse.KindZeroDivision, "division by zero"},
	Overflow:      {refuse.KindValue, "float to int conversion out of range"},
	Failed:        {refuse.KindValue, "ctx.fail() was called"},
	NotAVertex:    {refuse.KindValue, "next or update returned neither a vertex nor NULL"},
	AboveBound:    {refuse.KindValue, "bias exceeds bound"},
	NotFinite:     {refuse.KindValue, "bias is not finite"},
	Endless:       {refuse.KindRuntime, fmt.Sprintf("a loop took more than %d rounds", maxRounds)},
	NotANeighbor:  {refuse.KindValue, "strict: next or update returned a vertex that is no neighbour of the transit"},
	NeverEnds:     {refuse.KindRuntime, fmt.Sprintf("the sample has not ended after %d steps", MaxSteps)},
	BadFanout:     {refuse.KindValue, "fan-out is negative, or above 2**20"},
}

// NoFault is what the cell holds while nothing went wrong.
const NoFault = math.MaxUint64

// Code packs a fault so that the smallest is the first in the order of samples, steps and kinds: row<<24 | step<<8 |
// kind, the step cut to 16 bits. No fault is all ones. Compiled hooks keep the minimum by an atomic; the value of a
// choice that faulted is 0, or no vertex, and the run goes on, so that the error is the same on any number of threads.
func Code(row uint64, step int, kind Kind) uint64 {
	return row<<24 | uint64(step)&0xFFFF<<8 | uint64(kind)
}

// Note keeps a fault of a sample if it is the lowest so far.
func (s *State) Note(sample uint64, step int, kind Kind) {
	code := Code(sample-s.Run.First, step, kind)
	for {
		lowest := atomic.LoadUint64(&s.fault)
		if lowest <= code || atomic.CompareAndSwapUint64(&s.fault, lowest, code) {
			return
		}
	}
}

// Err is the lowest fault, or nil.
func (s *State) Err() error { return Err(atomic.LoadUint64(&s.fault), s.Run.First) }

// Err gives what a fault's code says, of a run whose first sample has the id first; nil where it is NoFault.
func Err(code, first uint64) error {
	if code == NoFault {
		return nil
	}
	kind, step, row := Kind(code), code>>8&0xFFFF, code>>24
	f, known := Faults[kind]
	if !known {
		return fmt.Errorf("a hook reported a fault %d, which is none", kind)
	}
	return &refuse.Refusal{Kind: f.Class, Text: fmt.Sprintf("%s (sample %d, step %d)", f.Text, first+row, step)}
}

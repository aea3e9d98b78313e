package hook

import (
	"fmt"
	"math"
	"sync/atomic"

	"gonextdoor/gonextdoor/refuse"
)

// Kind is a kind of fault: an error inside a hook, or an invalid result of one.
type Kind uint8

// The kinds of faults. Python and compiled hooks use the same numbers. Faults has their texts.
const (
	OutOfArray    Kind = 1
	NoVertex      Kind = 2
	NoEdge        Kind = 3
	Negative      Kind = 4
	TooLarge      Kind = 5
	DividedByZero Kind = 6
	Overflow      Kind = 7
	Failed        Kind = 8
	NotAVertex    Kind = 9 // the result of next or update
	AboveBound    Kind = 10
	NotFinite     Kind = 11
	Endless       Kind = 12 // a loop of a hook
	NotANeighbor  Kind = 13 // the result of next or update, of a strict app
	NeverEnds     Kind = 14 // a sample
	BadFanout     Kind = 15
	NegativeRoot  Kind = 16
)

// Limits that faults report.
const (
	MaxSteps  = 65535   // steps of a sample that does not end otherwise
	MaxFanout = 1 << 20 // largest fan-out that a hook may return
	maxRounds = 1 << 20 // iterations of the loops of one hook call; compiled hooks count them
)

// Faults has the class and the text of the error of each kind.
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
	NotANeighbor:  {refuse.KindValue, "strict: next or update returned a vertex that is not a neighbour of the transit"},
	NeverEnds:     {refuse.KindRuntime, fmt.Sprintf("the sample has not ended after %d steps", MaxSteps)},
	BadFanout:     {refuse.KindValue, "fan-out is negative, or above 2**20"},
	NegativeRoot:  {refuse.KindValue, "square root of a negative number"},
}

// NoFault is the code if there is no fault.
const NoFault = math.MaxUint64

// Code returns the code of a fault: row<<24 | step<<8 | kind, the step truncated to 16 bits. The smallest code is the first
// fault in the order of samples, steps and kinds. Compiled hooks keep the smallest code by an atomic minimum. The result of
// a choice with a fault is 0 or no vertex and the run continues, so that the error does not depend on the number of threads.
func Code(row uint64, step int, kind Kind) uint64 {
	return row<<24 | uint64(step)&0xFFFF<<8 | uint64(kind)
}

// Note records a fault of a sample if it is the first so far. Threads may call it at once.
func (s *State) Note(sample uint64, step int, kind Kind) {
	code := Code(sample-s.Run.First, step, kind)
	for {
		lowest := atomic.LoadUint64(&s.fault)
		if lowest <= code || atomic.CompareAndSwapUint64(&s.fault, lowest, code) {
			return
		}
	}
}

// Err returns the first fault as an error, or nil.
func (s *State) Err() error { return Err(atomic.LoadUint64(&s.fault), s.Run.First) }

// Err returns the error of a fault's code in a run whose first sample has the id first. It is nil for NoFault.
func Err(code, first uint64) error {
	if code == NoFault {
		return nil
	}
	kind, step, row := Kind(code), code>>8&0xFFFF, code>>24
	f, known := Faults[kind]
	if !known {
		return fmt.Errorf("a hook reported the unknown fault %d", kind)
	}
	return &refuse.Refusal{Kind: f.Class, Text: fmt.Sprintf("%s (sample %d, step %d)", f.Text, first+row, step)}
}

// Faulty reports whether a fault was recorded.
func (s *State) Faulty() bool { return atomic.LoadUint64(&s.fault) != NoFault }

// Package selector turns biases and random words into choices.
//
// Each selector is a short serial definition, which its doc comment states ("It is"). The fast forms, whose names end in At,
// return the same picks and are used by engines. Selectors have no state and may be called from several goroutines; a Scratch
// serves one goroutine at a time.
//
// The alias table of a row is empty (length 0) if all its biases are 0.
package selector

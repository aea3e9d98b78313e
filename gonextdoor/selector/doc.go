// Package selector turns biases and random words into choices.
//
// Each selector is a short serial definition, and its doc comment states it ("It is"). The fast forms, whose names end in At,
// must give the same picks; engines use those. Selectors keep no state and may be used by several goroutines; a Scratch
// serves one goroutine at a time.
//
// A row's alias table is empty (length 0) if no edge of the row has a bias.
package selector

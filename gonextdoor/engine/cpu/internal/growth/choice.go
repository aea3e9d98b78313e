package growth

import "gonextdoor/gonextdoor/engine/cpu/idmap"

// choice is one choice of a step: of one transit, or of all transits of a sample together.
type choice struct {
	sample   int     // index in the group
	from     transit // noTransit if all transits choose together
	among    candidates
	place    uint64     // number of the transit within its step
	excluded *idmap.Set // vertices that the sample must not pick again, if vertices are unique
	made     bool       // false: there is no transit
	k        int        // number of picks; if the choice is not made, the number of slots that stay empty
	weighed  bool       // whether the biases of all candidates are computed before the choice
	biases   []uint64   // of the candidates, if weighed is true

	firstPick, endPick int // range of its picks in the pickList
}

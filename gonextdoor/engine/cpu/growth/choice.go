package growth

import "gonextdoor/gonextdoor/engine/cpu/rowaccess"

// choice is one choice of a step: of one transit, or of all transits of a sample together.
type choice struct {
	sample  int     // index in the group
	from    transit // nowhere if all transits choose together
	among   candidates
	place   uint64             // of the transit among those of its step
	taken   *rowaccess.HashSet // vertices that the sample may not pick again, if vertices are unique
	made    bool               // false: there is no transit
	k       int                // picks wanted; if the choice is not made, the slots that stay empty
	weighed bool               // whether all candidates are weighed before the choice
	biases  []uint64           // of the candidates, if they are weighed

	firstPick, endPick int // of its picks in the pickList
}

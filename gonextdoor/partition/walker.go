package partition

import "gonextdoor/gonextdoor/rng"

// walker is a walk in execution, at a vertex whose row the part has. Its message is what another part is sent: candidate is the
// vertex that a try proposes, and extra the time of the last edge or the id of the proposed edge.
type walker struct {
	message

	key      rng.Key // of its sample
	position uint64  // of the proposed edge
	row      uint32  // of at, unless the walker is away
	selected uint8   // the number of hints to read
	hot      bool    // the row is among the hot ones
	away     bool    // the walker is in this part only to ask: another one has the row of at
	outlier  bool    // the try proposes an outlier, which an edge to it accepts
}

// step returns the number of steps that the walker has made.
func (w *walker) step() uint64 { return uint64(w.slot >> 8) }

// hint returns the end point of the previous vertex that the try of a walker proposes in the region Near, if it is known.
func (w *walker) hint() (candidate uint32, known bool) {
	if t := w.slot & 255; t < firstTries && w.hints[t] != w.prev {
		return w.hints[t], true
	}
	return 0, false
}

// maxSteps is the number of steps that a slot can count.
const maxSteps = 1 << 24

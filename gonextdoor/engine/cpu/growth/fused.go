package growth

import (
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/plan"
)

// turn is how many steps lie in a ring before they are laid into the rows: a line of memory of each.
const turn = 16

// ring holds the last steps of a group, a row for each step: the kernel writes where the next call reads, nothing is
// copied between them, and rows of the result are written by whole lines of memory.
type ring struct {
	steps         *[turn][plan.HookedGroup]uint32
	from          int      // the first step that is not laid into the rows
	transit, prev []uint32 // the columns of a group's first step; later ones are steps of the ring
}

// newRing gives a ring where a step is one call of a kernel and nothing else reads the rows or ends walks, or nil.
func (w *walkers) newRing() *ring {
	h := w.hooked
	switch {
	case h.compiled.Next == 0 || h.compiled.Strict || h.compiled.Reads.Has(hook.Sample):
	case h.grows.Stop != nil || h.grows.Update != nil || w.pools != nil:
	case h.width == 0 || h.lanes != 1 || h.batch.Edges || len(w.c.transit) > plan.HookedGroup:
	default:
		return &ring{steps: new([turn][plan.HookedGroup]uint32), transit: w.c.transit, prev: w.c.prev}
	}
	return nil
}

// leap takes a step: it is choose and move. The rows of the graph that the next one reads were asked for by the kernel.
func (w *walkers) leap() {
	c, n, r := &w.c, w.n, w.ring
	if w.step == 0 {
		r.from = 0
	}
	out := r.steps[w.step%turn][:len(c.transit)]
	w.call(w.compiled.Next, c, n, out)
	if beyond(out[:n], uint32(w.compiled.State.Run.Vertices)) { // some end: the others move up
		w.lay()
		copy(c.dst, w.landed(c, out[:n]))
		w.hurry()
		r.from = w.step + 1
		return
	}
	c.prev, c.transit = c.transit, out
	if w.step%turn == turn-1 {
		w.step++
		w.lay()
		w.step--
	}
}

// beyond says whether any number is not below n, which is at least 1.
func beyond(s []uint32, n uint32) bool {
	var below uint64
	for _, x := range s {
		below |= uint64(n) - 1 - uint64(x)
	}
	return below>>63 != 0
}

// lay writes the ring's steps into the rows.
func (w *walkers) lay() {
	r, first, steps := w.ring, w.ring.from, w.step-w.ring.from
	r.from = w.step
	if steps == turn {
		t := r.steps
		for i, of := range w.of[:w.n] {
			i %= plan.HookedGroup
			to := (*[turn]uint32)(w.vertices[w.starts[of]+first:])
			to[0], to[1], to[2], to[3] = t[0][i], t[1][i], t[2][i], t[3][i]
			to[4], to[5], to[6], to[7] = t[4][i], t[5][i], t[6][i], t[7][i]
			to[8], to[9], to[10], to[11] = t[8][i], t[9][i], t[10][i], t[11][i]
			to[12], to[13], to[14], to[15] = t[12][i], t[13][i], t[14][i], t[15][i]
		}
		return
	}
	for i, of := range w.of[:w.n] {
		to := w.vertices[w.starts[of]+first:][:steps]
		for s := range to {
			to[s] = r.steps[(first+s)%turn][i]
		}
	}
}

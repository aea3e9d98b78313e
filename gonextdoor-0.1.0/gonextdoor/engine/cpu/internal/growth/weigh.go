package growth

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
)

// weigher computes the biases of all candidates of choices: by the hook, or from edge weights, or 1.
type weigher struct {
	run     *programRun
	hooks   *hookCaller
	columns *columns // of the choices; read only
	batch   rowBatch
	biases  []uint64 // of the candidates of several choices
}

// newWeigher returns a weigher for the choices in c. It overwrites scratch.
func newWeigher(r *programRun, hooks *hookCaller, c, scratch *columns) weigher {
	return weigher{run: r, hooks: hooks, columns: c, batch: newRowBatch(r, hooks, scratch)}
}

// weighChoices sets the biases of the choices that have weighed set, which have total candidates. first is the column of
// choice active[0]. The biases are valid until the next call.
func (w *weigher) weighChoices(choices []choice, active []int, first, total int) {
	w.biases = buffer.Grow(w.biases[:0], total)[:total]
	rest := w.biases
	w.batch.begin(w.columns)
	for k, of := range active {
		if c := &choices[of]; c.weighed {
			c.biases, rest = rest[:c.among.n:c.among.n], rest[c.among.n:]
			w.weigh(first+k, c)
		}
	}
	w.batch.flush()
}

// weighOne sets the biases of one choice, whose column is at, in newly allocated memory.
func (w *weigher) weighOne(at int, c *choice) {
	c.biases = buffer.Grow[uint64](nil, int(c.among.n))[:c.among.n]
	w.batch.begin(w.columns)
	w.weigh(at, c)
	w.batch.flush()
}

// weigh fills the biases of a choice, or adds its rows to the batch.
func (w *weigher) weigh(at int, c *choice) {
	g, p := w.run.graph, w.run.program
	for i := range c.among.spans {
		s := &c.among.spans[i]
		biases := c.biases[s.offset:][:s.end-s.first]
		switch {
		case w.run.compiled.RowBias != 0:
			w.batch.add(w.columns, at, s.from, s.first, s.end, receiver{biases: biases})
		case p.EdgeBias != nil:
			x := w.hooks.context(w.columns, at)
			x.Transit, x.Prev, x.PrevEdge = s.from.vertex, s.from.prev, s.from.edge
			for k, dst := range g.Indices[s.first:s.end] {
				biases[k] = p.EdgeBias(x, s.first+uint64(k), dst)
			}
		case p.Weighted == app.Yes:
			widen(g.Biases[s.first:s.end], biases)
		default:
			for k := range biases {
				biases[k] = 1
			}
		}
	}
}

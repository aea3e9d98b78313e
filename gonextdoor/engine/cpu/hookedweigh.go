package cpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/buffer"
	"gonextdoor/gonextdoor/plan"
)

// weighTasks weighs all candidates of the tasks [lo, hi) that are asked about and need it, total in all.
func (p *picker) weighTasks(tasks []task, lo, hi, total int) {
	p.weights = buffer.Grow(p.weights[:0], total)[:total]
	rest := p.weights
	p.parts = p.parts[:0]
	for at := lo; at < hi; at++ {
		if t := &tasks[p.live[at]]; p.weighed(t) {
			t.biases, rest = rest[:t.n:t.n], rest[t.n:]
			p.weighTask(at, t)
		}
	}
	p.flushParts()
}

// weighOne weighs all candidates of one task.
func (p *picker) weighOne(at int, t *task) {
	t.biases = buffer.Grow[uint64](nil, int(t.n))[:t.n]
	p.parts = p.parts[:0]
	p.weighTask(at, t)
	p.flushParts()
}

// weighTask fills a task's biases, or leaves parts of it to be weighed by a kernel.
func (p *picker) weighTask(at int, t *task) {
	for _, s := range p.spans[t.lo:t.hi] {
		to := t.biases[s.before:][:s.end-s.first]
		switch {
		case p.compiled.RowBias != 0:
			p.weighSpan(at, s, to)
		case p.grows.EdgeBias != nil:
			x := p.at(&p.c, at)
			x.Transit, x.Prev = s.vertex, s.prev
			for k, dst := range p.g.Indices[s.first:s.end] {
				to[k] = p.grows.EdgeBias(x, s.first+uint64(k), dst)
			}
		case p.grows.Weighted == app.Yes:
			widen(p.g.Biases[s.first:s.end], to)
		default:
			for k := range to {
				to[k] = 1
			}
		}
	}
}

// weighSpan adds the edges of a span to those that the next call weighs.
func (p *picker) weighSpan(at int, s reached, to []uint64) {
	c := p.blank()
	for edge := s.first; edge < s.end; {
		if p.total == plan.HookedRows || len(p.parts) == len(c.who) {
			p.flushParts()
		}
		count, n := min(int(s.end-edge), plan.HookedRows-p.total), len(p.parts)
		c.take(n, &p.c, at)
		c.transit[n], c.prev[n], c.words[n] = s.vertex, s.prev, p.c.words[at]
		c.edge[n], c.dst[n] = edge, uint32(count)
		p.parts = append(p.parts, part{count: count})
		p.into = append(p.into, to[edge-s.first:][:count])
		p.total += count
		edge += uint64(count)
	}
}

// flushParts has the parts weighed, and puts their biases where they belong.
func (p *picker) flushParts() {
	p.weighParts(p.blank(), p.total)
	rows := p.rows
	for _, to := range p.into {
		widen(rows[:len(to)], to)
		rows = rows[len(to):]
	}
	p.parts, p.into, p.total = p.parts[:0], p.into[:0], 0
}

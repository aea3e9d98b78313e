package partition

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// outbox collects the messages to one part.
type outbox struct {
	of    [kinds][]uint32 // messages, one after the other
	lists []uint32        // of scans, then of members
	bits  []uint32
}

// add adds a message.
func (o *outbox) add(f *format, k kind, m *message) { o.of[k] = f[k].write(o.of[k], m) }

// words returns the size of the buffer of an outbox, 0 if it is empty.
func (o *outbox) words() int {
	n := len(o.lists) + len(o.bits)
	for _, all := range o.of {
		n += len(all)
	}
	if n > 0 {
		n += headerWords
	}
	return n
}

// encode writes the outbox to a buffer of its size: a header, the messages by kind, and the lists. It empties the outbox.
func (o *outbox) encode(f *format, to []uint32) {
	if len(to) == 0 {
		return
	}
	to[headerMark], to[headerLists], to[headerBits] = mark, uint32(len(o.lists)), uint32(len(o.bits))
	at := to[headerWords:]
	for k, all := range o.of {
		to[headerKinds+k] = uint32(len(all) / max(1, f[k].words))
		at = at[copy(at, all):]
		o.of[k] = all[:0]
	}
	copy(at[copy(at, o.lists):], o.bits)
	o.lists, o.bits = o.lists[:0], o.bits[:0]
}

// Outboxes are the messages to all parts.
type Outboxes struct {
	format format
	boxes  []outbox // by part
}

// newOutboxes returns empty outboxes.
func newOutboxes(f format, l *Layout) Outboxes { return Outboxes{f, make([]outbox, l.Owners.Parts())} }

// Sizes returns the number of words of the buffer to each part; 0: there is none.
func (o *Outboxes) Sizes() (words []int) {
	for i := range o.boxes {
		words = append(words, o.boxes[i].words())
	}
	return words
}

// Encode writes the buffer to a part to memory of its size, and empties it. The part decodes it by Cohort.Run.
func (o *Outboxes) Encode(part int, to []uint32) { o.boxes[part].encode(&o.format, to) }

// Start returns the messages with which the walks of an app begin at all parts: sample i of a cohort has the roots
// roots[i*each:(i+1)*each]. Vertices are not checked against the graph of a part, so they are here.
func Start(l *Layout, a app.App, roots []uint32, each int) (*Outboxes, error) {
	if err := refuseWalks(a, each); err != nil {
		return nil, err
	}
	needed := needsOf(a)
	o := newOutboxes(newFormat(needed, false), l)
	for i, v := range roots {
		if int(v) >= l.Whole.Vertices {
			return nil, refuse.Index("roots[%d] = %d: expected a vertex below %d", i, v, l.Whole.Vertices)
		}
		m := message{number: uint32(i), at: v, prev: graph.None}
		if needed.root {
			m.prev = v
		}
		o.boxes[l.Owners.Owner(v)].add(&o.format, moves, &m)
	}
	return &o, nil
}

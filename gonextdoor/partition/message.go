package partition

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/refuse"
)

// kind is a kind of message between parts.
type kind int

// The kinds of messages. The receiver has the row that the message needs.
const (
	moves      kind = iota // a walker that continues at vertex at
	hinted                 // a walker that begins a step at vertex at, with the end points of prev that its first tries propose
	checks                 // a walker at vertex at that proposes candidate, and the next tries, if an edge between prev and candidate decides
	proposals              // a walker at vertex at that proposes an end point of prev: the receiver reads it
	candidates             // the answer: the end point, or graph.None
	scans                  // a walker at vertex at that chooses from its whole row: which end points does prev have an edge to?
	members                // the answer: a bit for each edge of the row
	visits                 // a vertex where a walk ended
	kinds
)

// message is a walker on its way to another part, or a question about one.
type message struct {
	number    uint32 // of the walker within its cohort
	slot      uint32 // step<<8 | try, as rng.Slot
	at        uint32 // the vertex of the walker
	prev      uint32 // the vertex before it; the root of a Restart
	candidate uint32 // the vertex that is proposed; the length of the list of a scan
	extra     uint64 // the time of the last edge, or the id of the proposed edge
	hints     hints  // about prev
	ahead     ahead  // the tries after the one that proposes candidate
}

// shape has the fields of a kind of message: number, slot, at, and those that it names, in this order. A vertex where a walk
// ended has at alone. A field is a word of 32 bits, extra is two.
type shape struct {
	words                         int // 0: the app does not send the kind
	prev, candidate, extra, hints bool
	ahead                         bool
}

// newShape returns the shape with these fields.
func newShape(prev, candidate, extra bool) shape {
	s := shape{words: 3, prev: prev, candidate: candidate, extra: extra}
	if prev {
		s.words++
	}
	if candidate {
		s.words++
	}
	if extra {
		s.words += 2
	}
	return s
}

// withHints returns the shape with hints.
func (s shape) withHints() shape {
	s.words, s.hints = s.words+firstTries, true
	return s
}

// withAhead returns the shape with the tries ahead.
func (s shape) withAhead() shape {
	s.words, s.ahead = s.words+1+triesAhead, true
	return s
}

// write appends a message.
func (s *shape) write(to []uint32, m *message) []uint32 {
	if s.words == 1 {
		return append(to, m.at)
	}
	to = append(to, m.number, m.slot, m.at)
	if s.prev {
		to = append(to, m.prev)
	}
	if s.candidate {
		to = append(to, m.candidate)
	}
	if s.extra {
		to = append(to, uint32(m.extra), uint32(m.extra>>32))
	}
	if s.hints {
		to = append(to, m.hints[:]...)
	}
	if s.ahead {
		to = append(append(to, m.ahead.outcomes), m.ahead.candidates[:]...)
	}
	return to
}

// read reads the fields of a message, and no others.
func (s *shape) read(words []uint32, m *message) {
	if s.words == 1 {
		m.at = words[0]
		return
	}
	m.number, m.slot, m.at = words[0], words[1], words[2]
	words = words[3:]
	if s.prev {
		m.prev, words = words[0], words[1:]
	}
	if s.candidate {
		m.candidate, words = words[0], words[1:]
	}
	if s.extra {
		m.extra, words = uint64(words[0])|uint64(words[1])<<32, words[2:]
	}
	if m.hints = noHints(m.prev); s.hints {
		copy(m.hints[:], words)
	}
	if m.ahead.outcomes = elsewhere; s.ahead {
		m.ahead.outcomes = words[0]
		copy(m.ahead.candidates[:], words[1:])
	}
}

// format has the shape of each kind of message. Both sides derive it from the app and the Record.
type format [kinds]shape

// newFormat returns the format of the walkers of an app. edges reports whether the ids of edges are recorded.
func newFormat(needs needs, edges bool) (f format) {
	f[moves], f[visits] = newShape(needs.previous, false, needs.time), shape{words: 1}
	if needs.lookups {
		plain, asking := newShape(true, false, false), newShape(true, true, false)
		f[checks], f[proposals], f[candidates], f[scans], f[members] = newShape(true, true, edges), plain, asking, asking, plain
	}
	if needs.hints {
		f[hinted] = newShape(true, false, false).withHints()
	}
	if needs.ahead {
		f[checks] = f[checks].withAhead()
	}
	return f
}

// needsOf returns what the walkers of an app carry. The app need not be bound.
func needsOf(a app.App) (n needs) {
	switch a := a.(type) {
	case app.SecondOrderer:
		n.previous = true
	case app.Teleporter:
		n.previous, n.root = a.Home(), a.Home()
	case app.TemporalWalker:
		n.time = true
	}
	return n
}

// needs is what walkers of an app carry besides their vertex, and what they read of other parts.
type needs struct {
	previous bool // the vertex before, or the root
	root     bool // previous is the root
	time     bool // the time of the last edge
	lookups  bool // edges of other vertices are looked up
	hints    bool // end points of the previous vertex, which the first tries of a step propose, travel with a walker
	ahead    bool // the next tries travel with a walker that asks about a candidate
	degrees  bool // the degrees of vertices of other parts are read; they do not travel
}

// The header of a buffer, in words: the format's mark, the number of messages of each kind, and the words of the lists of scans
// and members.
const (
	headerMark  = 0
	headerKinds = 1
	headerLists = headerKinds + int(kinds)
	headerBits  = headerLists + 1
	headerWords = headerBits + 1
	mark        = 0x32574447 // "GDW2"
)

// inbox is a buffer from another part.
type inbox struct {
	counts   [kinds]int
	messages [kinds][]uint32
	lists    []uint32
	bits     []uint32
}

// decode reads a buffer that encode wrote. An empty buffer has no message. It returns an error if the sizes do not fit.
func decode(f *format, words []uint32) (in inbox, err error) {
	if len(words) == 0 {
		return in, nil
	}
	if len(words) < headerWords || words[headerMark] != mark {
		return in, refuse.Format("a buffer of %d words is not one of messages between parts", len(words))
	}
	rest := words[headerWords:]
	take := func(n int) (some []uint32) {
		if n > len(rest) {
			err = refuse.Format("a buffer of %d words between parts is too short for its messages", len(words))
			return nil
		}
		some, rest = rest[:n], rest[n:]
		return some
	}
	for k := range in.counts {
		in.counts[k] = int(words[headerKinds+k])
		in.messages[k] = take(in.counts[k] * f[k].words)
		if err == nil && in.counts[k] > 0 && f[k].words == 0 {
			err = refuse.Format("a buffer between parts has messages of kind %d, which the app does not send", k)
		}
	}
	in.lists, in.bits = take(int(words[headerLists])), take(int(words[headerBits]))
	if err == nil && len(rest) > 0 {
		err = refuse.Format("a buffer of %d words between parts has %d words after its messages", len(words), len(rest))
	}
	return in, err
}

// Words returns a buffer as words. A buffer that is not aligned, or of another size than whole words, is copied.
func Words(buffer []byte) []uint32 {
	at := unsafe.Pointer(unsafe.SliceData(buffer))
	if n := len(buffer) / 4; uintptr(at)%4 == 0 {
		return unsafe.Slice((*uint32)(at), n)
	}
	words := make([]uint32, len(buffer)/4)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words)), buffer)
	return words
}

// Messages returns the number of messages in a buffer, without the vertices where walks ended.
func Messages(words []uint32) (n int) {
	if len(words) < headerWords {
		return 0
	}
	for k := moves; k < visits; k++ {
		n += int(words[headerKinds+int(k)])
	}
	return n
}

// hints are the end points of the row of a vertex that the first tries of the next step propose, if their slots are in the region
// Near: those of nearOf. The part that has the row reads them when a walker leaves, so that another part need not ask for them.
// They are a function of the row and the try. The vertex itself stands for an end point that was not read.
type hints [firstTries]uint32

// noHints returns hints about a vertex that were not read.
func noHints(v uint32) hints { return hints{v, v} }

// firstTries is the number of tries of a step that have a hint.
const firstTries = 2

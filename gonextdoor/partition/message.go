package partition

import (
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// kind is a kind of message between parts.
type kind int

// The kinds of messages. The receiver has the row that the message needs.
const (
	moves      kind = iota // a walker that continues at vertex at
	checks                 // a walker at vertex at that proposes candidate, if an edge between prev and candidate decides
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
}

// column is a field of messages in 32-bit words.
type column int

// The columns.
const (
	numberColumn column = iota
	slotColumn
	atColumn
	prevColumn
	candidateColumn
	extraLowColumn
	extraHighColumn
)

// read returns a column of a message.
func (c column) read(m *message) uint32 {
	switch c {
	case numberColumn:
		return m.number
	case slotColumn:
		return m.slot
	case atColumn:
		return m.at
	case prevColumn:
		return m.prev
	case candidateColumn:
		return m.candidate
	case extraLowColumn:
		return uint32(m.extra)
	default:
		return uint32(m.extra >> 32)
	}
}

// write sets a column of a message.
func (c column) write(m *message, word uint32) {
	switch c {
	case numberColumn:
		m.number = word
	case slotColumn:
		m.slot = word
	case atColumn:
		m.at = word
	case prevColumn:
		m.prev = word
	case candidateColumn:
		m.candidate = word
	case extraLowColumn:
		m.extra |= uint64(word)
	default:
		m.extra |= uint64(word) << 32
	}
}

// format has the columns of each kind of message. Both sides derive it from the app and the Record.
type format [kinds][]column

// newFormat returns the format of the walkers of an app. edges reports whether the ids of edges are recorded.
func newFormat(needs needs, edges bool) (f format) {
	walker := []column{numberColumn, slotColumn, atColumn}
	if needs.previous {
		walker = append(walker, prevColumn)
	}
	extra := []column{extraLowColumn, extraHighColumn}
	f[moves], f[visits] = walker, []column{atColumn}
	if needs.time {
		f[moves] = slices.Concat(walker, extra)
	}
	if needs.lookups {
		asking := slices.Concat(walker, []column{candidateColumn})
		f[checks], f[proposals], f[candidates], f[scans], f[members] = asking, walker, asking, asking, walker
		if edges {
			f[checks] = slices.Concat(asking, extra)
		}
	}
	return f
}

// needs is what walkers of an app carry besides their vertex.
type needs struct {
	previous bool // the vertex before, or the root
	time     bool // the time of the last edge
	lookups  bool // edges of other vertices are looked up
	degrees  bool // the degrees of vertices of other parts are read; they do not travel
}

// outbox collects the messages to one part.
type outbox struct {
	of    [kinds][]message
	lists []uint32 // of scans, then of members
	bits  []uint32
}

// The header of a buffer, in words: the format's mark, the number of messages of each kind, and the words of the lists of scans
// and members.
const (
	headerMark  = 0
	headerKinds = 1
	headerLists = headerKinds + int(kinds)
	headerBits  = headerLists + 1
	headerWords = headerBits + 1
	mark        = 0x31574447 // "GDW1"
)

// words returns the size of the buffer of an outbox, 0 if it is empty.
func (o *outbox) words(f *format) int {
	n := len(o.lists) + len(o.bits)
	for k, all := range o.of {
		n += len(all) * len(f[k])
	}
	if n > 0 {
		n += headerWords
	}
	return n
}

// encode writes the outbox to a buffer of its size: a header, the columns of each kind, and the lists. It empties the outbox.
func (o *outbox) encode(f *format, to []uint32) {
	if len(to) == 0 {
		return
	}
	to[headerMark], to[headerLists], to[headerBits] = mark, uint32(len(o.lists)), uint32(len(o.bits))
	at := to[headerWords:]
	for k := range o.of {
		all := o.of[k]
		to[headerKinds+k] = uint32(len(all))
		for _, c := range f[k] {
			for i := range all {
				at[i] = c.read(&all[i])
			}
			at = at[len(all):]
		}
		o.of[k] = all[:0]
	}
	copy(at[copy(at, o.lists):], o.bits)
	o.lists, o.bits = o.lists[:0], o.bits[:0]
}

// inbox is a buffer from another part.
type inbox struct {
	counts  [kinds]int
	columns [kinds][]uint32
	lists   []uint32
	bits    []uint32
	format  *format
}

// decode reads a buffer that encode wrote. An empty buffer has no message. It returns an error if the sizes do not fit.
func decode(f *format, words []uint32) (in inbox, err error) {
	in.format = f
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
		in.columns[k] = take(in.counts[k] * len(f[k]))
		if err == nil && in.counts[k] > 0 && len(f[k]) == 0 {
			err = refuse.Format("a buffer between parts has messages of kind %d, which the app does not send", k)
		}
	}
	in.lists, in.bits = take(int(words[headerLists])), take(int(words[headerBits]))
	if err == nil && len(rest) > 0 {
		err = refuse.Format("a buffer of %d words between parts has %d words after its messages", len(words), len(rest))
	}
	return in, err
}

// read returns message i of a kind.
func (in *inbox) read(k kind, i int) (m message) {
	all, n := in.columns[k], in.counts[k]
	for _, c := range in.format[k] {
		c.write(&m, all[i])
		all = all[n:]
	}
	return m
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

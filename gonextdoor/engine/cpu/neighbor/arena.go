package neighbor

import (
	"gonextdoor/gonextdoor/engine/cpu/rowaccess"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/refuse"
)

// arena is the one block that holds all arrays of a mini-batch. They grow while it is drawn: where one has no more room,
// all of them move to a larger block, so they are known by their numbers until the batch is complete.
type arena struct {
	words []int64
	lists []list
}

// list is an array in an arena: room words from first on, of which the first so many are in use.
type list struct{ first, used, room int }

// need is a number of words that a list needs behind those in use.
type need struct{ list, words int }

// begin lays out lists with so much room each.
func (a *arena) begin(rooms []int) error {
	lists := make([]list, len(rooms))
	for i, room := range rooms {
		lists[i].room = room
	}
	return a.move(lists)
}

// extend makes sure that lists have the room that they need; those that grow get half as much again as they use, so that
// they rarely do.
func (a *arena) extend(needs ...need) error {
	lists, short := append([]list(nil), a.lists...), false
	for _, n := range needs {
		l := &lists[n.list]
		if most := l.used + n.words; most > l.room {
			l.room, short = max(most, l.used+l.used/2), true
		}
	}
	if !short {
		return nil
	}
	err := a.move(lists)
	if err == nil {
		return nil
	}
	for i := range lists { // no more than there must be
		lists[i].room = lists[i].used
	}
	for _, n := range needs {
		lists[n.list].room += n.words
	}
	if a.move(lists) != nil {
		return err
	}
	return nil
}

// move takes the lists to a block of their own.
func (a *arena) move(lists []list) error {
	total := 0
	for i := range lists {
		lists[i].first = total
		total += lists[i].room
	}
	if total >= rowaccess.Unbounded {
		return refuse.Memory("a mini-batch that may have %d numbers does not fit in memory", total)
	}
	words, err := output.LendArena(total)
	if err != nil {
		return err
	}
	for i, l := range a.lists {
		copy(words[lists[i].first:], a.words[l.first:l.first+l.used])
	}
	a.free()
	a.words, a.lists = words, lists
	return nil
}

// of gives the part of a list that is in use.
func (a *arena) of(i int) []int64 {
	l := a.lists[i]
	return a.words[l.first : l.first+l.used : l.first+l.used]
}

// left gives the room that a list has behind what is in use.
func (a *arena) left(i int) []int64 {
	l := a.lists[i]
	return a.words[l.first+l.used : l.first+l.room : l.first+l.room]
}

// used is the block up to the end of the last list.
func (a *arena) used() []int64 {
	if len(a.lists) == 0 {
		return a.words
	}
	last := a.lists[len(a.lists)-1]
	return a.words[:last.first+last.used]
}

func (a *arena) free() {
	if a.words != nil {
		output.NeighborBatch{Arena: a.words}.Return()
		a.words = nil
	}
}

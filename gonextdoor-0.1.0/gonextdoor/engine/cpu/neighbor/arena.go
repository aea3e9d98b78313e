package neighbor

import (
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/refuse"
)

// arena is one block of memory that holds all arrays of a mini-batch as lists. Lists grow
// while the batch is built: if one exceeds its capacity, all lists move to a larger block. Until the batch is complete,
// a list is therefore identified by its index, not by its address.
type arena struct {
	from  output.ArenaLender // lends the block
	words []int64
	lists []list
}

// list is an array in an arena: words[first:first+used] of a capacity from first on.
type list struct{ first, used, capacity int }

// need is a number of words that a list needs in addition to those in use.
type need struct{ list, words int }

// begin allocates the arena with the given capacity for each list.
func (a *arena) begin(capacities []int) error {
	lists := make([]list, len(capacities))
	for i, capacity := range capacities {
		lists[i].capacity = capacity
	}
	return a.move(lists)
}

// reserve makes the capacities of lists sufficient. A list that grows gets at least 1.5 times what it uses, so that moves
// are rare; if memory is too short for that, every list gets exactly what it needs.
func (a *arena) reserve(needs ...need) error {
	// 1. Find the lists that must grow.
	lists, short := append([]list(nil), a.lists...), false
	for _, n := range needs {
		l := &lists[n.list]
		if most := l.used + n.words; most > l.capacity {
			l.capacity, short = max(most, l.used+l.used/2), true
		}
	}
	if !short {
		return nil
	}
	// 2. Move with headroom.
	err := a.move(lists)
	if err == nil {
		return nil
	}
	// 3. Otherwise move without.
	for i := range lists {
		lists[i].capacity = lists[i].used
	}
	for _, n := range needs {
		lists[n.list].capacity += n.words
	}
	if a.move(lists) != nil {
		return err
	}
	return nil
}

// move copies the lists to a new block with the capacities of lists, sets the positions in lists, and frees the old block.
func (a *arena) move(lists []list) error {
	total := 0
	for i := range lists {
		lists[i].first = total
		total += lists[i].capacity
	}
	if total >= maxCapacity {
		return refuse.Memory("a mini-batch of up to %d numbers does not fit in memory: use fewer seeds or smaller fan-outs", total)
	}
	words, err := a.from.Lend(total)
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

// used returns the part of a list that is in use.
func (a *arena) used(i int) []int64 {
	l := a.lists[i]
	return a.words[l.first : l.first+l.used : l.first+l.used]
}

// unused returns the capacity of a list past its end.
func (a *arena) unused(i int) []int64 {
	l := a.lists[i]
	return a.words[l.first+l.used : l.first+l.capacity : l.first+l.capacity]
}

// block returns the block up to the end of the last list.
func (a *arena) block() []int64 {
	if len(a.lists) == 0 {
		return a.words
	}
	last := a.lists[len(a.lists)-1]
	return a.words[:last.first+last.used]
}

// free returns the block to its lender.
func (a *arena) free() {
	if a.words != nil {
		a.from.Return(a.words)
		a.words = nil
	}
}

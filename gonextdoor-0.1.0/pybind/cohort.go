package pybind

import (
	"unsafe"

	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/partition"
	"gonextdoor/gonextdoor/refuse"
)

// CohortStart returns the handle of the buffers with which the walks of an app begin at all parts. roots has count vertices, a
// uint32 each, of which each sample has the given number.
func CohortStart(handle int64, name string, params string, roots uintptr, count int64, each int64) (started int64, err error) {
	defer guard(&err)
	p, err := partitions.get(handle)
	if err != nil {
		return 0, err
	}
	a, err := apps.Parse(name, params)
	if err != nil {
		return 0, err
	}
	o, err := partition.Start(p.Layout, a, view[uint32](roots, count), int(each))
	if err != nil {
		return 0, err
	}
	return cohorts.add(o), nil
}

// CohortNew returns the handle of a cohort of count samples from the id first, at the part of some walks.
func CohortNew(on int64, first int64, count int64) (handle int64, err error) {
	defer guard(&err)
	w, err := walks.get(on)
	if err != nil {
		return 0, err
	}
	c, err := w.Cohort(uint64(first), int(count))
	if err != nil {
		return 0, err
	}
	return cohorts.add(c), nil
}

// cohort returns the cohort of a handle.
func cohort(handle int64) (*partition.Cohort, error) {
	s, err := cohorts.get(handle)
	if err != nil {
		return nil, err
	}
	c, ok := s.(*partition.Cohort)
	if !ok {
		return nil, refuse.Value("handle %d: not a cohort", handle)
	}
	return c, nil
}

// CohortRun advances the walkers of count buffers. buffers has an address and a size in bytes for each, as int64.
func CohortRun(handle int64, buffers uintptr, count int64, job uintptr) (read int64, err error) {
	defer guard(&err)
	c, err := cohort(handle)
	if err != nil {
		return 0, err
	}
	given := view[[2]int64](buffers, count)
	words := make([][]uint32, count)
	for i, b := range given {
		words[i] = partition.Words(unsafe.Slice((*byte)(pointer(uintptr(b[0]))), b[1]))
	}
	return count, c.Run(words, jobAt(job))
}

// CohortSizes writes the number of bytes of the buffer to each of count parts, an int64 each, to out.
func CohortSizes(handle int64, out uintptr, count int64) (total int64, err error) {
	defer guard(&err)
	c, err := cohorts.get(handle)
	if err != nil {
		return 0, err
	}
	sizes := view[int64](out, count)
	for i, words := range c.Sizes() {
		sizes[i] = 4 * int64(words)
		total += sizes[i]
	}
	return total, nil
}

// CohortEncode writes the buffers to all parts, of size bytes together, one after the other, and empties them. It returns the
// number of messages in them.
func CohortEncode(handle int64, to uintptr, size int64) (messages int64, err error) {
	defer guard(&err)
	c, err := cohorts.get(handle)
	if err != nil {
		return 0, err
	}
	words := view[uint32](to, size/4)
	for part, n := range c.Sizes() {
		if n > len(words) {
			return 0, refuse.Value("size = %d: expected the bytes of all buffers", size)
		}
		c.Encode(part, words[:n])
		messages += int64(partition.Messages(words[:n]))
		words = words[n:]
	}
	return messages, nil
}

// CohortSteps returns the number of steps that a cohort recorded. It writes them to steps, three uint32 each, and the ids of
// their edges to edges, a uint64 each, unless these are 0.
func CohortSteps(handle int64, steps uintptr, edges uintptr) (count int64, err error) {
	defer guard(&err)
	c, err := cohort(handle)
	if err != nil {
		return 0, err
	}
	count = int64(c.Trace.Size())
	if steps != 0 {
		c.Trace.Copy(view[partition.Step](steps, count), view[uint64](edges, count))
	}
	return count, nil
}

// CohortVisits returns the number of vertices that walks of a cohort visited here. It writes them to vertices, a uint32 each,
// and the numbers of their visits to counts, an int64 each, unless these are 0.
func CohortVisits(handle int64, vertices uintptr, counts uintptr) (count int64, err error) {
	defer guard(&err)
	c, err := cohort(handle)
	if err != nil {
		return 0, err
	}
	if vertices == 0 {
		return int64(c.Visited()), nil
	}
	count = int64(c.Visited())
	c.CopyVisits(view[uint32](vertices, count), view[int64](counts, count))
	return count, nil
}

// DropCohort frees a cohort, or the start of one.
func DropCohort(handle int64) (known bool, err error) {
	defer guard(&err)
	_, known = cohorts.drop(handle)
	return known, nil
}

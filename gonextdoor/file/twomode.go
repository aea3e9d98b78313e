package file

import (
	"fmt"
	"strconv"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// divide makes sources and targets different vertices if the options or the file require it, and reports it.
func (l *edgeList) divide(found *layout, o Options) error {
	if o.Bipartite == No || o.Bipartite == Unsaid && found.twoMode == "" {
		return nil
	}
	if found.size.given {
		if o.Bipartite == Yes {
			return refuse.Value("bipartite=True: %s has one number of vertices for both ends of its edges", base(found.path))
		}
		return nil
	}
	t, err := l.sides()
	if err != nil {
		return err
	}
	defer t.Free()
	if o.Bipartite == Unsaid {
		if !t.both {
			return nil
		}
		o.Report.Warnings = append(o.Report.Warnings, fmt.Sprintf("%s: %s, so that a source and a target of one id are different "+
			"vertices, such as %s:%s: bipartite=False reads one vertex, bipartite=True omits this warning",
			base(found.path), found.twoMode, found.kinds[0], l.name(int(l.src[0]))))
	}
	found.said += fmt.Sprintf("; bipartite: vertices 0 to %d are %s, %d to %d are %s", t.sources-1, found.kinds[0], t.sources, t.vertices-1, found.kinds[1])
	return l.renumber(t, found.kinds)
}

// sides are the vertices that are sources and those that are targets.
type sides struct {
	source, target    []uint32 // the new number of a vertex as a source, and as a target; None: it is not one
	sources, vertices int
	both              bool // a vertex is both
}

// Free frees the numbers.
func (t *sides) Free() {
	offheap.Free(t.source)
	offheap.Free(t.target)
}

// sides numbers the sources in the order of the vertices, and then the targets.
func (l *edgeList) sides() (t *sides, err error) {
	t = &sides{}
	if t.source, err = offheap.Make[uint32](l.vertices); err != nil {
		return nil, err
	}
	if t.target, err = offheap.Make[uint32](l.vertices); err != nil {
		t.Free()
		return nil, err
	}
	for i, u := range l.src {
		t.source[u], t.target[l.dst[i]] = 1, 1
	}
	for v := range t.source {
		t.both = t.both || t.source[v] == 1 && t.target[v] == 1
	}
	for _, side := range [][]uint32{t.source, t.target} {
		for v, present := range side {
			side[v] = graph.None
			if present == 1 {
				side[v] = uint32(t.vertices)
				t.vertices++
			}
		}
		if t.sources == 0 {
			t.sources = t.vertices
		}
	}
	if t.vertices > graph.MaxVertices {
		t.Free()
		return nil, refuse.Value("%d sources and targets: a graph has at most %d vertices", t.vertices, graph.MaxVertices)
	}
	return t, nil
}

// renumber gives sources and targets their numbers, and names such as "user:1".
func (l *edgeList) renumber(t *sides, kinds [2]string) error {
	var names graph.Names
	var err error
	if names.Offsets, err = offheap.Make[uint64](t.vertices + 1); err != nil {
		return err
	}
	old := make([]uint32, t.vertices)
	for _, side := range [][]uint32{t.source, t.target} {
		for v, n := range side {
			if n != graph.None {
				old[n] = uint32(v)
			}
		}
	}
	size := uint64(0)
	write := func(out []byte) []byte {
		for n, v := range old {
			kind := kinds[0]
			if n >= t.sources {
				kind = kinds[1]
			}
			before := len(out)
			out = append(append(out, kind...), ':')
			out = append(out, l.name(int(v))...)
			if names.Text == nil {
				size += uint64(len(out) - before)
				names.Offsets[n+1] = size
				out = out[:0]
			}
		}
		return out
	}
	write(nil)
	text, err := offheap.Make[byte](int(size))
	if err != nil {
		offheap.Free(names.Offsets)
		return err
	}
	names.Text = text
	write(text[:0])
	l.freeNames()
	l.names, l.vertices = names, t.vertices
	for i := range l.src {
		l.src[i], l.dst[i] = t.source[l.src[i]], t.target[l.dst[i]]
	}
	return nil
}

// name returns the name of a vertex as text.
func (l *edgeList) name(v int) string {
	switch {
	case l.names.Ints != nil:
		return strconv.FormatInt(l.names.Ints[v], 10)
	case l.names.Offsets != nil:
		return string(l.names.Text[l.names.Offsets[v]:l.names.Offsets[v+1]])
	}
	return strconv.Itoa(v)
}

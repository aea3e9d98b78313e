package stage

import "gonextdoor/gonextdoor/graph/index"

// LabelPath finds the edges of rows with the labels of a path. Threads share it and do not modify it.
type LabelPath struct {
	Rows  index.LabelRows
	Kinds []int // index of each label of the path in Rows.Kinds, or -1
	path  []int32
}

// NewLabelPath returns the path with some labels.
func NewLabelPath(rows index.LabelRows, path []int32) LabelPath {
	l := LabelPath{rows, make([]int, len(path)), path}
	for i, label := range path {
		l.Kinds[i] = rows.Kind(label)
	}
	return l
}

// Candidates returns the range of the edges of v with the label of step s, in the rows ordered by label.
func (l *LabelPath) Candidates(t *Tables, v uint32, s int) (first, end uint64) {
	i := s % len(l.path)
	switch {
	case l.Rows.Starts == nil:
		first, degree := t.Row(v)
		return l.Rows.Search(first, first+degree, l.path[i])
	case l.Kinds[i] < 0:
		return 0, 0
	}
	return l.Rows.OfKind(v, l.Kinds[i])
}

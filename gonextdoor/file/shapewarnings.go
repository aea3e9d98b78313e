package file

import (
	"fmt"
	"slices"
	"strconv"
)

// warnings reports what a user may not expect of the columns that were chosen.
func (s *shape) warnings() {
	o := &s.options.Columns
	chosen := o.Source.given() || o.Target.given()
	if !s.text && s.options.IDs == "" {
		if id := s.firstID(func(f string) bool { return len(f) > 1 && f[0] == '0' }); id != "" {
			s.warn(fmt.Sprintf("ids such as %s are read as integers, so that their zeros are lost: ids='text' keeps them, ids='int' omits this warning", id))
		}
	}
	if !s.named() && !chosen && len(s.rows[0]) == 3 && s.weight < 0 && s.time < 0 && s.label < 0 && o.Weight.Use != Ignored && s.holds(2, func(string) bool { return true }) {
		s.warn("the third column is text, and was not read: source=0, label=1, target=2 reads triples, label=2 reads labels, " +
			"and source=0, target=1 omits this warning")
	}
	if !s.named() && !chosen && s.weight < 0 && s.time < 0 && len(s.rows[0]) > 3 && o.Weight.Use != Ignored {
		s.warn(fmt.Sprintf("columns 2 to %d are not read: weight=2 reads the third as weights, time=, label= others, and weight=False omits this warning", len(s.rows[0])-1))
	}
	s.unread(chosen)
	if s.weight >= 0 && s.names[s.weight] == "" && !o.Weight.given() && o.Weight.Use != Required {
		s.times()
	}
	s.sizes()
}

// unread warns of dates that are not read, of ids that may be missing, and of names of columns in a comment.
func (s *shape) unread(chosen bool) {
	used := []int{s.src, s.dst, s.weight, s.time, s.label}
	for i := range s.rows[0] {
		if s.time < 0 && !s.options.Columns.Time.given() && s.options.Columns.Time.Use != Ignored && !slices.Contains(used, i) && s.dates(i) {
			column := strconv.Itoa(i)
			if s.names[i] != "" {
				column = quoted(s.names[i])
			}
			s.warn(fmt.Sprintf("column %s has dates, which are not read: time=%s reads them as times, time=False omits this warning", column, column))
			break
		}
	}
	if s.options.IDs == "" {
		if id := s.firstID(isMissing); id != "" {
			s.warn(fmt.Sprintf("an id is %s, which may stand for a missing one, and was read as a name: remove such rows, or pass ids='text' if it is one", id))
		}
	}
	names := s.heading()
	if s.named() || chosen || len(names) < 2 || len(names) != len(s.rows[0]) || pair(names[s.src], names[s.dst]) {
		return
	}
	s.warn(fmt.Sprintf("a comment names the columns %s, %s, ..., and columns 0 and 1 were read as the ends of edges: source= and target= choose "+
		"others, or source=0, target=1 omits this warning", quoted(names[0]), quoted(names[1])))
}

// firstID returns the first source for which f holds, or else the first target, or "".
func (s *shape) firstID(f func(string) bool) string {
	for _, at := range []int{s.src, s.dst} {
		if i := slices.IndexFunc(s.column(at), f); i >= 0 {
			return s.column(at)[i]
		}
	}
	return ""
}

// isMissing reports whether an id is a word that programs write for a missing value.
func isMissing(id string) bool {
	return slices.Contains([]string{"NA", "N/A", "NaN", "nan", "NULL", "null", "None", "none", "\\N", "<NA>"}, id)
}

// times warns if the weights look like times: large, or growing from row to row.
func (s *shape) times() {
	column := s.column(s.weight)
	at := s.weight
	if v, why := integer([]byte(column[0])); why == "" && v >= likelyTime {
		s.warn(fmt.Sprintf("column %d was read as weights, but %d looks like a time: time=%d reads times, "+
			"weight=%d reads these as weights", at, v, at, at))
		return
	}
	values := make([]float64, len(column))
	for i, f := range column {
		values[i], _ = strconv.ParseFloat(f, 64)
	}
	if distinct(column) >= 3 && slices.IsSorted(values) && (values[0] == 0 || len(values) >= 8 || s.whole) {
		s.warn(fmt.Sprintf("column %d was read as weights, but its values grow as times do: time=%d reads times, "+
			"weight=%d reads these as weights", at, at, at))
	}
}

// sizes warns if the first row may be the numbers of vertices and edges.
func (s *shape) sizes() {
	if s.text || s.named() || s.options.Header == No || len(s.rows[0]) != 2 || !s.whole || len(s.rows) < 3 {
		return
	}
	vertices, _ := integer([]byte(s.rows[0][0]))
	edges, _ := integer([]byte(s.rows[0][1]))
	if edges != int64(len(s.rows)-1) {
		return
	}
	for _, r := range s.rows[1:] {
		for _, f := range r {
			if v, why := integer([]byte(f)); why != "" || v > vertices {
				return
			}
		}
	}
	s.warn(fmt.Sprintf("the first line, %s %s, may be the numbers of vertices and edges, and was read as an edge: "+
		"remove it, or pass header=False if it is one", s.rows[0][0], s.rows[0][1]))
}

// likelyTime is the smallest integer that is more likely to be a time in seconds since 1970 than a weight.
const likelyTime = 100_000_000

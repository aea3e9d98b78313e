package file

import (
	"bytes"
	"fmt"
	"slices"
)

// headerGlance is how many lines are looked at to see whether what the first line names is an id.
const headerGlance = 2000

// header decides whether the first line, with these fields, names the columns.
func (o *opening) header(line []byte, first []string) (bool, error) {
	switch {
	case o.options.Header == Yes:
		o.said = "; header=True"
		return true, nil
	case o.options.Header == No:
		o.said = "; header=False"
		return false, nil
	case o.namesChosen():
		o.said = "; header recognised"
		return true, nil // or the choice of a name is refused, with the fields of this line
	case slices.ContainsFunc(first, isNumber):
		o.said = "; no header"
		return false, nil
	}
	known := slices.ContainsFunc(first, func(f string) bool { return knownRole(f) != "" })
	next := o.after(line)
	second, err := o.split(next)
	if next == nil || o.skipped(next) || err != nil || len(second) != len(first) {
		second = nil
	}
	commented := o.lines > 0 && o.delimiter == 0 // such a text names its columns in a comment
	recurs, numbers := o.recurs(line, first), nameNumbers(first, second)
	switch {
	case nameEnds(first), nameIDs(first, second), (known && !commented || numbers) && !recurs:
		o.said = "; header recognised"
		return true, nil
	case known, numbers, !recurs && second != nil && !commented:
		o.said = "; first line read as an edge"
		o.warn(fmt.Sprintf("line %d, %s, may be a header or an edge, and was read as an edge: "+
			"header=True or header=False decides it", o.lines+1, quoted(string(line))))
	default:
		o.said = "; no header"
	}
	return false, nil
}

// namesChosen reports whether the caller chose a column by name.
func (o *opening) namesChosen() bool {
	return slices.ContainsFunc(o.options.Columns.all(), func(c choiceOf) bool { return c.choice.Name != nil })
}

// nameEnds reports whether a line has names that are only those of columns.
func nameEnds(first []string) bool {
	for _, pair := range idNames[0][:2] {
		both := 0
		for _, f := range first {
			if name := canonical(f); name == pair[0] || name == pair[1] {
				both++
			}
		}
		if both >= 2 {
			return true
		}
	}
	return false
}

// nameIDs reports whether a line names two columns of integer ids.
func nameIDs(first, second []string) bool {
	return len(second) >= 2 && !isInteger(first[0]) && !isInteger(first[1]) && isInteger(second[0]) && isInteger(second[1])
}

// nameNumbers reports whether a line names a column of numbers beside the ids.
func nameNumbers(first, second []string) bool {
	for i := 2; i < len(second); i++ {
		if first[i] != "" && !isNumber(first[i]) && isNumber(second[i]) {
			return true
		}
	}
	return false
}

// recurs reports whether a field of the first line is found again in its column, or an id as the other end of an edge,
// soon after: names of columns are not.
func (o *opening) recurs(line []byte, first []string) bool {
	rest := o.block.text[len(line)+1:]
	if !slices.ContainsFunc(first, func(f string) bool { return f != "" && bytes.Contains(rest, []byte(f)) }) {
		return false
	}
	for range headerGlance {
		if len(rest) == 0 {
			return false
		}
		next := o.first(rest)
		rest = rest[len(next)+1:]
		if o.skipped(next) {
			continue
		}
		fields, err := o.split(next)
		if err != nil || len(fields) != len(first) {
			return false
		}
		for i, f := range first {
			if f != "" && (f == fields[i] || i < 2 && len(fields) > 1 && f == fields[1-i]) {
				return true
			}
		}
	}
	return false
}

package file

import (
	"bytes"
	"fmt"
	"slices"
)

// headerLookahead is the number of lines in which recurs searches for the fields of the first line.
const headerLookahead = 2000

// header decides whether a line with the fields first is a header, and records the decision in said. It warns about a line
// that may be either.
func (o *sniffer) header(line []byte, first []string) (bool, error) {
	// 1. Decisions that need the first line only.
	switch {
	case o.options.Header == Yes:
		o.said = "; header=True"
		return true, nil
	case o.options.Header == No:
		o.said = "; header=False"
		return false, nil
	case o.namesChosen():
		o.said = "; header recognised"
		return true, nil // if it is none, the error about the chosen name quotes the fields of this line
	case slices.ContainsFunc(first, isNumber):
		o.said = "; no header"
		return false, nil
	}
	// 2. Compare the first line with those after it.
	known := slices.ContainsFunc(first, func(f string) bool { return knownRole(f) != "" })
	next := o.after(line)
	second, err := o.split(next)
	if next == nil || o.skipped(next) || err != nil || len(second) != len(first) {
		second = nil
	}
	commented := o.lines > 0 && o.delimiter == 0 // in text of this kind the comments name the columns, so a header is unlikely
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
func (o *sniffer) namesChosen() bool {
	return slices.ContainsFunc(o.options.Columns.all(), func(c choiceOf) bool { return c.choice.Name != nil })
}

// nameEnds reports whether a line has both names of a pair that no vertex is likely to have: source and target, src and dst.
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

// nameIDs reports whether the first two fields are text above a line with two integer ids.
func nameIDs(first, second []string) bool {
	return len(second) >= 2 && !isInteger(first[0]) && !isInteger(first[1]) && isInteger(second[0]) && isInteger(second[1])
}

// nameNumbers reports whether a field after the ids is text above a number.
func nameNumbers(first, second []string) bool {
	for i := 2; i < len(second); i++ {
		if first[i] != "" && !isNumber(first[i]) && isNumber(second[i]) {
			return true
		}
	}
	return false
}

// recurs reports whether a field of the first line occurs again within headerLookahead lines: in the same column, or, for
// an id, in the column of the other end. Ids recur; names of columns do not.
func (o *sniffer) recurs(line []byte, first []string) bool {
	rest := o.block.text[len(line)+1:]
	if !slices.ContainsFunc(first, func(f string) bool { return f != "" && bytes.Contains(rest, []byte(f)) }) {
		return false
	}
	for range headerLookahead {
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

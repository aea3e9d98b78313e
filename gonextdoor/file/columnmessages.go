package file

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// called describes a column in a message.
func (t *table) called(i int) string {
	name := t.names[i]
	if name == "" {
		return "column " + strconv.Itoa(i)
	}
	if slices.Index(t.names, name) != i || slices.Contains(t.names[i+1:], name) {
		return fmt.Sprintf("column %d (%s)", i, quoted(name))
	}
	return "column " + quoted(name)
}

// list describes all columns in a message.
func (t *table) list() string {
	if !t.anyNamed() {
		return fmt.Sprintf("numbered 0 to %d, without names", len(t.names)-1)
	}
	said := make([]string, len(t.names))
	for i, n := range t.names {
		said[i] = quoted(n)
	}
	return strings.Join(said, ", ")
}

// said describes the decisions of Choose.
func (t *table) said(c *Columns) string {
	short := func(i int) string {
		if t.names[i] == "" {
			return strconv.Itoa(i)
		}
		return shortened([]byte(t.names[i]))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "columns %s -> %s", short(c.Source), short(c.Target))
	for _, p := range []struct {
		role   role
		column int
	}{{roleWeight, c.Weight}, {roleTime, c.Time}, {roleLabel, c.Label}} {
		if p.column >= 0 {
			fmt.Fprintf(&b, ", %s %s", p.role, strings.Replace(t.called(p.column), "column '", "'", 1))
		}
	}
	var unread []string
	for i := range t.names {
		if !slices.Contains([]int{c.Source, c.Target, c.Weight, c.Time, c.Label}, i) {
			unread = append(unread, t.called(i))
		}
	}
	if more := len(unread) - 5; more > 0 {
		unread = append(unread[:5], plural(more, "other"))
	}
	if len(unread) > 0 {
		fmt.Fprintf(&b, "; not read: %s", strings.Join(unread, ", "))
	}
	return b.String()
}

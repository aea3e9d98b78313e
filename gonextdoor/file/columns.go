package file

import (
	"fmt"
	"slices"
	"strings"

	"gonextdoor/gonextdoor/refuse"
)

// Kind is the type of the values in a column.
type Kind string

// The kinds of columns. Other is for values that are neither numbers nor text, for example empty fields.
const (
	Int   Kind = "int"
	Float Kind = "float"
	Date  Kind = "date"
	Text  Kind = "text"
	Other Kind = "other"
)

// Use controls the search for a column that the caller did not choose by name or number.
type Use string

// The uses of a column. Auto reads it if it exists, Required rejects a table without it, Ignored never reads it.
const (
	Auto     Use = "auto"
	Required Use = "required"
	Ignored  Use = "ignored"
)

// Choice is a caller's choice of a column: by name, by number from 0, or by its use.
type Choice struct {
	Name   *string `json:"name"`
	Number *int    `json:"number"`
	Use    Use     `json:"use"` // if there is neither name nor number; "" is Auto
}

// given reports whether the caller chose the column by name or number.
func (c Choice) given() bool { return c.Name != nil || c.Number != nil }

// Choices are a caller's choices for every role.
type Choices struct {
	Source Choice `json:"source"`
	Target Choice `json:"target"`
	Weight Choice `json:"weight"`
	Time   Choice `json:"time"`
	Label  Choice `json:"label"`
}

// choiceOf is the choice of the column for a role.
type choiceOf struct {
	role   role
	choice Choice
}

// all returns the choices with their roles.
func (c *Choices) all() []choiceOf {
	return []choiceOf{
		{roleSource, c.Source}, {roleTarget, c.Target}, {roleWeight, c.Weight}, {roleTime, c.Time}, {roleLabel, c.Label},
	}
}

// Columns holds the column number of each role, or -1 for none.
type Columns struct {
	Source   int      `json:"source"`
	Target   int      `json:"target"`
	Weight   int      `json:"weight"`
	Time     int      `json:"time"`
	Label    int      `json:"label"`
	TwoMode  bool     `json:"two_mode"` // the ends have different kinds of vertices, such as users and items
	Said     string   `json:"said"`     // describes the decisions
	Warnings []string `json:"warnings"` // decisions that a user may not expect
}

// Choose assigns roles to the columns of a table. Text files, Parquet, Arrow and data frames share these rules.
//
// names and kinds have one element per column; the name is "" for a column without one. The rules, in this order:
//  1. A column that the caller chose has that role.
//  2. A column with a known name has the role of the name.
//  3. The ids are the first two columns that have no role by then and no name of another role.
//  4. The weights are the only column left, if it follows the ids and holds numbers.
//
// Choose returns an error if several columns are equally likely for a role.
func Choose(names []string, kinds []Kind, choices Choices) (Columns, error) {
	t := table{names: names, kinds: kinds, used: map[int]role{}}
	c := Columns{Source: -1, Target: -1, Weight: -1, Time: -1, Label: -1, Warnings: []string{}}
	if len(names) != len(kinds) {
		return c, refuse.Value("%d column names, but %d kinds: expected one kind per column", len(names), len(kinds))
	}
	if len(names) < 2 {
		return c, refuse.Value("%s: expected at least two, of sources and targets", plural(len(names), "column"))
	}
	picks := []struct {
		role   role
		choice Choice
		column *int
	}{
		{roleSource, choices.Source, &c.Source}, {roleTarget, choices.Target, &c.Target},
		{roleWeight, choices.Weight, &c.Weight}, {roleTime, choices.Time, &c.Time}, {roleLabel, choices.Label, &c.Label},
	}
	var err error
	for _, p := range picks { // 1. Choices of the caller.
		if *p.column, err = t.chosen(p.role, p.choice); err != nil {
			return c, err
		}
	}
	if err = t.ids(&c); err != nil { // 2. Known names of ids.
		return c, err
	}
	for _, p := range picks[2:] { // 3. Other known names.
		if *p.column < 0 && p.choice.Use != Ignored {
			if *p.column, err = t.known(p.role); err != nil {
				return c, err
			}
		}
	}
	if err = t.positions(&c, choices); err != nil { // 4. Positions.
		return c, err
	}
	c.TwoMode = twoMode(names[c.Source], names[c.Target])
	c.Said, c.Warnings = t.said(&c), append(c.Warnings, t.warnings...)
	return c, nil
}

// table is the state of Choose.
type table struct {
	names    []string
	kinds    []Kind
	used     map[int]role // by column
	warnings []string
}

// assign gives a column a role. It returns an error if the column has one already.
func (t *table) assign(column int, r role) (int, error) {
	if other, exists := t.used[column]; exists {
		return -1, refuse.Value("%s and %s are both %s: expected different columns", other, r, t.called(column))
	}
	t.used[column] = r
	return column, nil
}

// chosen returns the column that the caller named or numbered, or -1.
func (t *table) chosen(r role, c Choice) (int, error) {
	switch {
	case c.Number != nil:
		if *c.Number < 0 || *c.Number >= len(t.names) {
			return -1, refuse.Value("%s=%d: columns are numbered from 0, and there are %d: expected 0 to %d",
				r, *c.Number, len(t.names), len(t.names)-1)
		}
		return t.assign(*c.Number, r)
	case c.Name != nil:
		at, err := t.named(r, *c.Name)
		if err != nil {
			return -1, err
		}
		return t.assign(at, r)
	case c.Use != "" && c.Use != Auto && c.Use != Required && c.Use != Ignored:
		return -1, refuse.Value("%s: use is %q, expected %q, %q or %q", r, c.Use, Auto, Required, Ignored)
	}
	return -1, nil
}

// named returns the column of a name, or an error unless exactly one column has it.
func (t *table) named(r role, name string) (int, error) {
	at := slices.Index(t.names, name)
	if at < 0 || name == "" {
		return -1, refuse.Value("%s=%q: there is no column of that name; the columns are %s", r, name, t.list())
	}
	if again := slices.Index(t.names[at+1:], name); again >= 0 {
		return -1, refuse.Value("%s=%q: columns %d and %d have that name; choose one by its number: %s=%d",
			r, name, at, at+1+again, r, at)
	}
	return at, nil
}

// ids finds the columns of sources and targets by known names: first complete pairs, then single names.
func (t *table) ids(c *Columns) error {
	for _, group := range idNames {
		if c.Source >= 0 && c.Target >= 0 {
			return nil
		}
		pair, err := t.pair(group, c)
		if err != nil {
			return err
		}
		if pair[0] >= 0 {
			c.Source, c.Target = pair[0], pair[1]
			t.used[pair[0]], t.used[pair[1]] = roleSource, roleTarget
		}
	}
	for _, p := range []struct {
		role   role
		column *int
	}{{roleSource, &c.Source}, {roleTarget, &c.Target}} { // one name is known, the other is not
		if *p.column < 0 {
			found := t.with(func(i int) bool { return knownRole(t.names[i]) == p.role })
			if len(found) > 1 {
				return t.ambiguous(p.role, found)
			}
			if len(found) == 1 {
				*p.column = found[0]
				t.used[found[0]] = p.role
			}
		}
	}
	return nil
}

// pair returns the columns of the pair of a group that the table contains, or -1. The pair must agree with the columns that
// the caller chose. Two different pairs are an error.
func (t *table) pair(group [][2]string, c *Columns) ([2]int, error) {
	found := [2]int{-1, -1}
	for _, names := range group {
		var pair [2]int
		for i, fixed := range []int{c.Source, c.Target} {
			all := t.with(func(k int) bool { return canonical(t.names[k]) == names[i] })
			if fixed >= 0 && canonical(t.names[fixed]) == names[i] {
				all = []int{fixed}
			}
			pair[i] = -1
			if len(all) > 0 && (fixed < 0 || all[0] == fixed) {
				pair[i] = all[0]
			}
			if len(all) > 1 && fixed < 0 && len(t.with(func(k int) bool { return canonical(t.names[k]) == names[1-i] })) > 0 {
				return found, t.ambiguous([]role{roleSource, roleTarget}[i], all)
			}
		}
		switch {
		case pair[0] < 0 || pair[1] < 0 || pair == found:
		case found[0] < 0:
			found = pair
		case pair[0] == found[1] && pair[1] == found[0]: // head and tail, or tail and head: the first pair decides
		case pair[0] != found[0]:
			return found, t.ambiguous(roleSource, []int{found[0], pair[0]})
		default:
			return found, t.ambiguous(roleTarget, []int{found[1], pair[1]})
		}
	}
	return found, nil
}

// known returns the column whose known name has the role, or -1. It warns if times or labels are not integers.
func (t *table) known(r role) (int, error) {
	for _, group := range attributeNames[r] {
		found := t.with(func(i int) bool { return slices.Contains(group, canonical(t.names[i])) })
		if r != roleWeight {
			for _, i := range found {
				if !t.kinds[i].serves(r) {
					t.used[i] = roleKey
					t.warnings = append(t.warnings, fmt.Sprintf("%s is not read: %ss are integers%s, and its values are %s; "+
						"%s=False leaves it out without this warning", t.called(i), r, map[role]string{roleTime: " or dates"}[r], t.kinds[i].plural(), r))
				}
			}
			found = slices.DeleteFunc(found, func(i int) bool { return !t.kinds[i].serves(r) })
		}
		if len(found) > 1 {
			return -1, t.ambiguous(r, found)
		}
		if len(found) == 1 {
			return t.assign(found[0], r)
		}
	}
	return -1, nil
}

// serves reports whether a column of the kind may be read as times or labels.
func (k Kind) serves(r role) bool { return k == Int || k == Date && r == roleTime }

// plural describes values of the kind.
func (k Kind) plural() string {
	return map[Kind]string{Int: "integers", Float: "numbers with a fraction", Date: "dates", Text: "text", Other: "neither numbers nor text"}[k]
}

// positions assigns the ids and weights that no name decided, by the order of the columns.
func (t *table) positions(c *Columns, choices Choices) error {
	for _, p := range []struct {
		role   role
		column *int
	}{{roleSource, &c.Source}, {roleTarget, &c.Target}} {
		if *p.column >= 0 {
			continue
		}
		left := t.left()
		if len(left) == 0 {
			return refuse.Value("no column is left for the %s; the columns are %s: choose them by source= and target=", p.role, t.list())
		}
		*p.column = left[0]
		t.used[left[0]] = p.role
	}
	if a, b := t.names[c.Source], t.names[c.Target]; len(t.names) > 2 && a != "" && b != "" && !choices.Source.given() && !choices.Target.given() && !pair(a, b) {
		t.warnings = append(t.warnings, fmt.Sprintf("columns %s and %s were read as the ends of edges because they are the first two: source= and target= "+
			"choose others, or these without this warning", quoted(a), quoted(b)))
	}
	if c.Weight >= 0 || choices.Weight.Use == Ignored {
		return nil
	}
	left := slices.DeleteFunc(t.left(), func(i int) bool { return i < c.Source || i < c.Target })
	numbers := slices.DeleteFunc(slices.Clone(left), func(i int) bool { return t.kinds[i] != Int && t.kinds[i] != Float })
	switch {
	case len(left) == 1 && len(numbers) == 1, choices.Weight.Use == Required && len(numbers) == 1:
		c.Weight = numbers[0]
		t.used[c.Weight] = roleWeight
	case choices.Weight.Use == Required && len(numbers) > 1:
		return t.ambiguous(roleWeight, numbers)
	case choices.Weight.Use == Required:
		return refuse.Value("weight=True: there is no column of weights; the columns are %s: choose one by weight=, "+
			"or read the edges without weights: weight=False", t.list())
	}
	return nil
}

// left returns the columns that have no role yet and whose name does not stand for another one.
func (t *table) left() []int {
	return t.with(func(i int) bool {
		r := knownRole(t.names[i])
		return (r == "" || r == roleSource || r == roleTarget) && !(t.names[i] == "" && t.anyNamed())
	})
}

// anyNamed reports whether any column has a name. In a table with names, a column without a name is an index.
func (t *table) anyNamed() bool {
	return slices.ContainsFunc(t.names, func(n string) bool { return n != "" })
}

// with returns the columns without a role that f selects.
func (t *table) with(f func(i int) bool) (found []int) {
	for i := range t.names {
		if _, assigned := t.used[i]; !assigned && f(i) {
			found = append(found, i)
		}
	}
	return found
}

// ambiguous returns the error for several columns that may have a role, with an example of how to choose one.
func (t *table) ambiguous(r role, columns []int) error {
	said := make([]string, len(columns))
	for i, c := range columns {
		said[i] = t.called(c)
	}
	advice := fmt.Sprintf("%s=%d", r, columns[0])
	if name := t.names[columns[0]]; name != "" && slices.Index(t.names, name) == columns[0] && !slices.Contains(t.names[columns[0]+1:], name) {
		advice = fmt.Sprintf("%s=%s", r, quoted(name))
	}
	also := ""
	if r != roleSource && r != roleTarget {
		also = fmt.Sprintf(" (or none: %s=False)", r)
	}
	return refuse.Value("%s may each hold the %s: choose one, for example %s%s", strings.Join(said, " and "), r, advice, also)
}

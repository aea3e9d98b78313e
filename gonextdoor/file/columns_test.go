package file

import (
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/refuse"
)

func named(s string) Choice   { return Choice{Name: &s} }
func numbered(n int) Choice   { return Choice{Number: &n} }
func used(u Use) Choice       { return Choice{Use: u} }
func kindsOf(s string) []Kind { return kindsFrom(strings.Fields(s)) }

func kindsFrom(words []string) (kinds []Kind) {
	for _, w := range words {
		kinds = append(kinds, Kind(w))
	}
	return kinds
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		names, kinds string
		choices      Choices
		want         [5]int // source, target, weight, time, label
		said         string
	}{
		{"node1,node2,weight", "text text float", Choices{}, [5]int{0, 1, 2, -1, -1}, "columns node1 -> node2, weight 'weight'"},
		{"source,target,timestamp", "int int int", Choices{}, [5]int{0, 1, -1, 2, -1}, "columns source -> target, time 'timestamp'"},
		{"source,target,timestamp", "int int int", Choices{Time: used(Ignored)}, [5]int{0, 1, -1, -1, -1}, "not read: column 'timestamp'"},
		{"source,target,timestamp,rating", "int int int int", Choices{}, [5]int{0, 1, 3, 2, -1}, "weight 'rating', time 'timestamp'"},
		{"SOURCE,Target,Type,Weight", "int int int int", Choices{}, [5]int{0, 1, 3, -1, 2}, "label 'Type'"},
		{"weight,from_id,to_id", "float int int", Choices{}, [5]int{1, 2, 0, -1, -1}, "columns from_id -> to_id, weight 'weight'"},
		{"w,a,b", "float int int", Choices{Weight: used(Ignored)}, [5]int{1, 2, -1, -1, -1}, "not read: column 'w'"},
		{",source,target", "int int int", Choices{}, [5]int{1, 2, -1, -1, -1}, "not read: column 0"},
		{",a,b", "int int int", Choices{}, [5]int{1, 2, -1, -1, -1}, "columns a -> b"},
		{"id,source,target", "int int int", Choices{}, [5]int{1, 2, -1, -1, -1}, "not read: column 'id'"},
		{"a,b,c", "int int float", Choices{}, [5]int{0, 1, 2, -1, -1}, "weight 'c'"},
		{",,", "int int float", Choices{}, [5]int{0, 1, 2, -1, -1}, "columns 0 -> 1, weight column 2"},
		{",,", "int int float", Choices{Weight: used(Ignored)}, [5]int{0, 1, -1, -1, -1}, "not read: column 2"},
		{",,", "int int text", Choices{}, [5]int{0, 1, -1, -1, -1}, "not read: column 2"},
		{",,,", "int int int int", Choices{}, [5]int{0, 1, -1, -1, -1}, "not read: column 2, column 3"},
		{",,,", "int int int int", Choices{Weight: numbered(2), Time: numbered(3)}, [5]int{0, 1, 2, 3, -1}, "weight column 2, time column 3"},
		{",,,", "int int int int", Choices{Source: numbered(3), Target: numbered(1)}, [5]int{3, 1, -1, -1, -1}, "columns 3 -> 1"},
		{"source,target", "int int", Choices{Source: named("target")}, [5]int{1, 0, -1, -1, -1}, "columns target -> source"},
		{"head,relation,tail", "text int text", Choices{}, [5]int{0, 2, -1, -1, 1}, "label 'relation'"},
		{"user,group", "text text", Choices{}, [5]int{0, 1, -1, -1, -1}, "columns user -> group"},
		{"user,source,target", "int int int", Choices{}, [5]int{1, 2, -1, -1, -1}, "not read: column 'user'"},
		{"citing,cited", "int int", Choices{}, [5]int{0, 1, -1, -1, -1}, "columns citing -> cited"},
		{"source,source,target", "int int int", Choices{Source: numbered(1), Target: numbered(2)}, [5]int{1, 2, -1, -1, -1}, "column 0 ('source')"},
		{"x,y,weight,value", "int int int int", Choices{}, [5]int{0, 1, 2, -1, -1}, "weight 'weight'"},
		{"x,y,p,q", "int int int text", Choices{Weight: used(Required)}, [5]int{0, 1, 2, -1, -1}, "weight 'p'"},
	} {
		got, err := Choose(strings.Split(c.names, ","), kindsOf(c.kinds), c.choices)
		if err != nil {
			t.Errorf("%s: %v", c.names, err)
			continue
		}
		if is := [5]int{got.Source, got.Target, got.Weight, got.Time, got.Label}; is != c.want {
			t.Errorf("%s: %v, expected %v", c.names, is, c.want)
		}
		if !strings.Contains(got.Said, c.said) || len(got.Warnings) > 0 {
			t.Errorf("%s: %q, %q", c.names, got.Said, got.Warnings)
		}
	}
}

func TestChooseRefuses(t *testing.T) {
	for _, c := range []struct {
		names, kinds string
		choices      Choices
		want         string
	}{
		{"source,source,target", "int int int", Choices{}, "column 0 ('source') and column 1 ('source') may each hold the source: choose one, for example source=0"},
		{"source,target", "int int", Choices{Source: named("target"), Target: named("target")}, "source and target are both column 'target'"},
		{"a,b,c", "int int int", Choices{Weight: numbered(2), Time: numbered(2)}, "weight and time are both column 'c'"},
		{"a,b", "int int", Choices{Source: numbered(-1)}, "source=-1: columns are numbered from 0, and there are 2: expected 0 to 1"},
		{"a,b", "int int", Choices{Time: numbered(2)}, "time=2: columns are numbered from 0"},
		{"a,b", "int int", Choices{Weight: named("w")}, "weight=\"w\": there is no column of that name; the columns are 'a', 'b'"},
		{",", "int int", Choices{Weight: named("w")}, "the columns are numbered 0 to 1, without names"},
		{"a,b,x,x", "int int int int", Choices{Weight: named("x")}, "columns 2 and 3 have that name; choose one by its number: weight=2"},
		{"a,b,weight,w", "int int int int", Choices{}, "column 'weight' and column 'w' may each hold the weight: choose one, for example weight='weight' (or none: weight=False)"},
		{"a,b,time,timestamp", "int int int int", Choices{}, "may each hold the time"},
		{"a,b,c,d", "int int int int", Choices{Weight: used(Required)}, "column 'c' and column 'd' may each hold the weight"},
		{"a,b,c", "int int text", Choices{Weight: used(Required)}, "weight=True: there is no column of weights; the columns are 'a', 'b', 'c'"},
		{"a", "int", Choices{}, "1 column: expected at least two"},
		{"time,weight", "int int", Choices{}, "no column is left for the source"},
		{"head,tail,citing,cited", "int int int int", Choices{}, "may each hold the source"},
		{"a,b", "int int", Choices{Weight: used("maybe")}, "expected \"auto\", \"required\" or \"ignored\""},
	} {
		_, err := Choose(strings.Split(c.names, ","), kindsOf(c.kinds), c.choices)
		if refuse.KindOf(err) != refuse.KindValue || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", c.names, err, c.want)
		}
	}
}

// A column with a known name that cannot be read gives a warning.
func TestChooseWarns(t *testing.T) {
	for _, c := range []struct{ names, kinds, want string }{
		{"head,relation,tail", "text text text", "column 'relation' is not read: labels are integers, and its values are text; label=False"},
		{"source,target,time", "int int float", "column 'time' is not read: times are integers or dates, and its values are numbers with a fraction"},
	} {
		got, err := Choose(strings.Split(c.names, ","), kindsOf(c.kinds), Choices{})
		if err != nil || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], c.want) || got.Weight >= 0 {
			t.Errorf("%s: %+v, %v", c.names, got, err)
		}
	}
}

// Each known name is in canonical form and has one role.
func TestKnownNames(t *testing.T) {
	roles := map[string][]role{}
	for r, groups := range attributeNames {
		for _, name := range slices.Concat(groups...) {
			roles[name] = append(roles[name], r)
		}
	}
	for _, pair := range slices.Concat(idNames...) {
		for i, name := range pair {
			if of := roles[name]; len(of) > 0 && of[0] != roleSource && of[0] != roleTarget {
				t.Errorf("%s is a %s and an id", name, of[0])
			}
			roles[name] = append(roles[name], []role{roleSource, roleTarget}[i])
		}
	}
	for name, of := range roles {
		if canonical(name) != name || knownRole(name) == "" {
			t.Errorf("%s has the canonical form %s", name, canonical(name))
		}
		if len(of) > 1 && of[0] != roleSource && of[0] != roleTarget {
			t.Errorf("%s has the roles %v", name, of)
		}
	}
}

package file

import (
	"slices"
	"strings"
)

// role is the meaning of a column.
type role string

const (
	roleSource role = "source"
	roleTarget role = "target"
	roleWeight role = "weight"
	roleTime   role = "time"
	roleLabel  role = "label"
	roleKey    role = "key" // an identifier of the row, which is not read
)

// idNames lists the column names of sources and targets, in pairs, in their canonical form. The pairs of a group have
// equal rank; an earlier group has priority over a later one.
var idNames = [][][2]string{
	{{"source", "target"}, {"src", "dst"}, {"from", "to"}, {"u", "v"}, {"source", "destination"}, {"src", "dest"}},
	{
		{"fromnode", "tonode"}, {"fromvertex", "tovertex"}, {"sourcenode", "targetnode"}, {"srcnode", "dstnode"},
		{"sourcevertex", "targetvertex"}, {"fromuser", "touser"}, {"startnode", "endnode"}, {"start", "end"},
		{"node1", "node2"}, {"vertex1", "vertex2"}, {"user1", "user2"}, {"person1", "person2"}, {"id1", "id2"},
		{"v1", "v2"}, {"n1", "n2"}, {"nodea", "nodeb"}, {"usera", "userb"}, {"persona", "personb"},
		{"head", "tail"}, {"subject", "object"}, {"citing", "cited"}, {"follower", "followee"}, {"follower", "followed"},
		{"parent", "child"}, {"sender", "receiver"}, {"sender", "recipient"}, {"origin", "destination"},
		{"caller", "callee"}, {"tail", "head"}, {"user", "item"}, {"user", "friend"}, {"user", "movie"}, {"user", "product"},
		{"node", "neighbor"}, {"node", "neighbour"}, {"row", "col"}, {"row", "column"}, {"i", "j"},
	},
}

// attributeNames lists the column names of all other roles, in their canonical form. An earlier group has priority.
var attributeNames = map[role][][]string{
	roleWeight: {
		{"weight", "weights", "w", "edgeweight", "wt"},
		{"value", "rating", "score", "strength", "count"},
	},
	roleTime: {
		{"time", "times", "timestamp", "timestamps", "edgetime"},
		{"ts", "unixtime", "epoch", "datetime", "date", "year", "createdat"},
	},
	roleLabel: {
		{"label", "labels", "type", "edgetype", "edgelabel"},
		{"relation", "relationship", "rel", "predicate", "etype", "category"},
	},
	roleKey: {{"id", "edge", "eid", "index", "key"}},
}

// actors and things are the names of columns whose ids are of different kinds, although both may count from 1: an edge leads
// from one of the first to one of the second.
var (
	actors = strings.Fields("user customer client reviewer rater member person actor author reader viewer buyer shopper " +
		"listener student visitor player patient voter sender investigator employee worker donor subscriber account")
	things = strings.Fields("item movie film show product page url song track artist album book post thread topic course event " +
		"group community club project repo repository tag business company shop store restaurant recipe video game article " +
		"paper publication document query ad news question category genre hashtag playlist disease drug gene condition " +
		"committee hotel place location venue team app word asset")
)

// twoMode reports whether the ends of edges have different kinds of vertices, by the names of their columns.
func twoMode(source, target string) bool {
	if kinds := [2]string{group(source), group(target)}; kinds[0] != "" && kinds[1] != "" { // of Neo4j
		return kinds[0] != kinds[1]
	}
	a, b := singular(source), singular(target)
	return slices.Contains(actors, a) && slices.Contains(things, b) || slices.Contains(things, a) && slices.Contains(actors, b)
}

// pair reports whether names of columns seem to be those of sources and targets: one is known, both are single letters or
// digits, they are alike, such as name_a and name_b, or they are different kinds of vertices.
func pair(source, target string) bool {
	if knownRole(source) != "" || knownRole(target) != "" || twoMode(source, target) || len(source) == 1 && len(target) == 1 {
		return true
	}
	a, b := canonical(source), canonical(target)
	for _, group := range idNames { // such as source_subreddit and target_subreddit
		for _, known := range group {
			if first, ok := strings.CutPrefix(a, known[0]); ok && len(known[0]) > 1 && strings.TrimPrefix(b, known[1]) == first && first != b {
				return true
			}
			if first, ok := strings.CutSuffix(a, known[0]); ok && len(known[0]) > 1 && strings.TrimSuffix(b, known[1]) == first && first != b {
				return true
			}
		}
	}
	n, same := min(len(a), len(b)), 0
	for same < n && a[same] == b[same] {
		same++
	}
	for end := 1; end <= n-same && a[len(a)-end] == b[len(b)-end]; end++ {
		same++
	}
	return same >= 3 && same >= max(len(a), len(b))-2
}

// singular returns the canonical form of a name, without what marks an id, a number or the plural.
func singular(name string) string {
	name = canonical(name)
	for _, end := range []string{"idx", "index", "no", "num", "number", "name", "key"} {
		if short := strings.TrimSuffix(name, end); len(short) > 2 {
			name = short
		}
	}
	if short := strings.TrimSuffix(name, "s"); len(short) > 2 && short != "new" {
		return short
	}
	return name
}

// group returns the name in brackets at the end of a column's name, such as User in ":START_ID(User)", or "".
func group(name string) string {
	_, in, _ := strings.Cut(name, "_ID(")
	return strings.TrimSuffix(in, ")")
}

// canonical returns the form in which names are compared: lower case, without separators, a final "id", and what Neo4j writes
// after a name.
func canonical(name string) string {
	name, _, _ = strings.Cut(name, "(")
	for _, kind := range []string{":int", ":long", ":float", ":double", ":string"} {
		name = strings.TrimSuffix(name, kind)
	}
	name = strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-.:~", r) {
			return -1
		}
		return r
	}, name))
	if short := strings.TrimSuffix(name, "id"); len(short) > 1 || short == "u" || short == "v" {
		return short
	}
	return name
}

// knownRole returns the role of a column name, or "" if the name is not known. A name that is a source in one pair and a
// target in another has the role of the first pair.
func knownRole(name string) role {
	name = canonical(name)
	if name == "" {
		return ""
	}
	for r, groups := range attributeNames {
		for _, group := range groups {
			for _, known := range group {
				if known == name {
					return r
				}
			}
		}
	}
	for _, group := range idNames {
		for _, pair := range group {
			switch name {
			case pair[0]:
				return roleSource
			case pair[1]:
				return roleTarget
			}
		}
	}
	return ""
}

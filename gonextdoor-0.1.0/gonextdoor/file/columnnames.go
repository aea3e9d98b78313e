package file

import "strings"

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

// canonical returns the form in which names are compared: lower case, without separators and without a final "id".
func canonical(name string) string {
	name = strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-.:", r) {
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

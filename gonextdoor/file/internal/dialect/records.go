package dialect

import (
	"bytes"
	"slices"
	"strings"
)

// rdf refuses N-Triples: three terms in angle brackets or quotes and a full stop.
func rdf(h *Head) *Format {
	f := h.refused("N-Triples", "looks like RDF in N-Triples"+byRDF)
	line := strings.TrimSpace(f.Text)
	if (strings.HasPrefix(line, "<") || strings.HasPrefix(line, "_:")) && strings.HasSuffix(line, ".") && strings.Count(line, "<") >= 2 {
		return f
	}
	return nil
}

// arrowMarks are written between the ends of an edge, and whether they leave it undirected.
var arrowMarks = map[string]bool{"->": false, "-->": false, "=>": false, "\u2192": false, "--": true, "<->": true, "\u2014": true}

// arrows reads lines such as "a -> b", with an arrow between two blanks.
func arrows(h *Head) *Format {
	rows := h.rows()
	mark := ""
	for _, r := range rows {
		if len(r) != 3 || mark != "" && r[1] != mark {
			return nil
		}
		mark = r[1]
		if _, known := arrowMarks[mark]; !known {
			return nil
		}
	}
	if mark == "" {
		return nil
	}
	f := &Format{Name: "ends with " + mark + " between them", Columns: ends}
	if arrowMarks[mark] {
		f.Undirected = "line 1 has " + mark
	}
	f.translate = func(l *lines) error {
		if !content(string(l.line)) {
			return l.blank()
		}
		fields := bytes.Fields(l.line)
		if len(fields) != 3 || string(fields[1]) != mark {
			return l.fault("expected %q between two ids", mark)
		}
		return l.edge(fields[0], fields[2])
	}
	return f
}

// dictionaries reads what networkx.write_edgelist writes: two ids and a dict of attributes in the syntax of Python.
func dictionaries(h *Head) *Format {
	keys, found := []string{}, false
	for _, line := range h.lines {
		if !content(line) {
			continue
		}
		_, _, dict, ok := ends3([]byte(line))
		if !ok && found {
			break // an error of the translation
		}
		if !ok {
			return nil
		}
		found = true
		values, why := attributes(dict)
		if why != "" {
			f := h.refused("networkx", "it ends with a dict of attributes that cannot be read ("+why+"): read it with networkx.read_edgelist and use Graph.from_networkx")
			return f
		}
		for _, v := range values {
			if !slices.Contains(keys, v.key) {
				keys = append(keys, v.key)
			}
		}
	}
	if !found {
		return nil
	}
	f := &Format{Name: "networkx's edge list with attributes", Columns: append(slices.Clone(ends), keys...)}
	f.translate = func(l *lines) error {
		if !content(string(l.line)) {
			return l.blank()
		}
		from, to, dict, ok := ends3(l.line)
		if !ok {
			return l.fault("expected two ids and a dict of attributes")
		}
		values, why := attributes(dict)
		if why != "" {
			return l.fault("the attributes cannot be read: %s", why)
		}
		fields := make([][]byte, len(f.Columns))
		fields[0], fields[1] = from, to
		for _, v := range values {
			if i := slices.Index(f.Columns[2:], v.key); i >= 0 {
				fields[2+i] = v.value
			}
		}
		return l.edge(fields...)
	}
	return f
}

// ends3 returns the two ids of a line, and the dict after them.
func ends3(line []byte) (from, to, dict []byte, ok bool) {
	from, rest, _ := bytes.Cut(bytes.TrimSpace(line), []byte{' '})
	to, dict, _ = bytes.Cut(bytes.TrimSpace(rest), []byte{' '})
	dict = bytes.TrimSpace(dict)
	return from, to, dict, len(from) > 0 && len(to) > 0 && len(dict) > 1 && dict[0] == '{' && dict[len(dict)-1] == '}' && from[0] != '{' && to[0] != '{'
}

// value is an attribute of an edge.
type value struct {
	key   string
	value []byte
}

// attributes parses a dict of numbers, texts, True, False and None, as Python writes it. None is an empty value.
func attributes(dict []byte) (all []value, why string) {
	rest := bytes.TrimSpace(dict[1 : len(dict)-1])
	for len(rest) > 0 {
		key, after, ok := text(rest)
		if !ok {
			return nil, "a key is not text"
		}
		after = bytes.TrimSpace(after)
		if len(after) == 0 || after[0] != ':' {
			return nil, "a key has no value"
		}
		after = bytes.TrimSpace(after[1:])
		v := value{key: string(key)}
		if v.value, rest, ok = text(after); !ok {
			end := bytes.IndexByte(after, ',')
			if end < 0 {
				end = len(after)
			}
			v.value, rest = bytes.TrimSpace(after[:end]), after[end:]
			switch string(v.value) {
			case "True":
				v.value = []byte{'1'}
			case "False":
				v.value = []byte{'0'}
			case "None":
				v.value = nil
			default:
				if len(v.value) == 0 || bytes.ContainsAny(v.value, "{}[]()'\"\t") {
					return nil, "a value is neither a number nor text"
				}
			}
		}
		if bytes.ContainsAny(v.value, "\t\n") {
			return nil, "a value has a tab"
		}
		all = append(all, v)
		if rest = bytes.TrimSpace(rest); len(rest) > 0 {
			if rest[0] != ',' {
				return nil, "expected a comma between attributes"
			}
			rest = bytes.TrimSpace(rest[1:])
		}
	}
	return all, ""
}

// text takes a Python text without escapes from the beginning of rest.
func text(rest []byte) (found, after []byte, ok bool) {
	if len(rest) == 0 || rest[0] != '\'' && rest[0] != '"' {
		return nil, rest, false
	}
	end := bytes.IndexByte(rest[1:], rest[0])
	if end < 0 || bytes.IndexByte(rest[1:1+end], '\\') >= 0 {
		return nil, rest, false
	}
	return rest[1 : 1+end], rest[2+end:], true
}

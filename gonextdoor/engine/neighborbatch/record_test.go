package neighborbatch

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"gonextdoor/gonextdoor/app"
)

var write = flag.Bool("write", false, "write the Python twin of the record instead of comparing it")

// twin is the file that reads the record in Python.
const twin = "../../../python/gonextdoor/neighbor/_record.py"

func TestPythonReadsTheSameRecord(t *testing.T) {
	text := pythonRecord()
	if *write {
		if err := os.WriteFile(twin, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if is, err := os.ReadFile(twin); err != nil || string(is) != text {
		t.Errorf("%s differs from sections and Request: run go generate ./gonextdoor/engine/neighborbatch (%v)", twin, err)
	}
}

// pythonRecord returns the Python module for Request and sections.
func pythonRecord() string {
	var b strings.Builder
	b.WriteString(`"""The record of a call of neighbour sampling: the request, and the headers of its batches.

Generated from gonextdoor/engine/neighborbatch/record.go by go generate, and compared by its tests. All fields are
int64. Offsets and lengths count 8-byte integers of a batch's arena.
"""

from __future__ import annotations

from typing import NamedTuple

`)
	named(&b, reflect.TypeFor[Request](), "", "")
	for _, s := range sections {
		named(&b, s.fields, strings.ToLower(s.counts), "list[int]")
	}
	b.WriteString("\nclass Header(NamedTuple):\n    batch: BatchHeader\n")
	for _, s := range sections[1:] {
		fmt.Fprintf(&b, "    %s: list[%s]%s\n", listOf(s), s.fields.Name(), comment(s))
	}
	pythonWords(&b)
	pythonRead(&b)
	return b.String()
}

// named writes a struct as a NamedTuple, with one more field unless extra is empty.
func named(b *strings.Builder, t reflect.Type, extra, kind string) {
	fmt.Fprintf(b, "\nclass %s(NamedTuple):\n", t.Name())
	for i := range t.NumField() {
		fmt.Fprintf(b, "    %s: int\n", snake(t.Field(i).Name))
	}
	if extra != "" {
		fmt.Fprintf(b, "    %s: %s\n", extra, kind)
	}
	b.WriteString("\n")
}

// listOf returns the name of the list of a section: "hops" of HopHeader.
func listOf(s section) string {
	return strings.ToLower(strings.TrimSuffix(s.fields.Name(), "Header")) + "s"
}

// comment returns a comment with the layout that has a section.
func comment(s section) string {
	if s.only == "" {
		return ""
	}
	return fmt.Sprintf("  # of the layout %q, by %s", string(s.only), strings.Join(s.per, " and "))
}

// condition begins the lines of a section that only one layout has.
func condition(s section) (line, indent string) {
	switch s.only {
	case app.COO:
		return "    if coo:\n", "        "
	case app.CSC:
		return "    if not coo:\n", "        "
	}
	return "", "    "
}

func pythonWords(b *strings.Builder) {
	b.WriteString(`

def header_words(types: int, relations: int, hops: int, coo: bool) -> int:
    """The length of a header."""
    words = 0
`)
	for _, s := range sections {
		line, indent := condition(s)
		size := fmt.Sprint(s.fields.NumField())
		if s.counts != "" {
			size = fmt.Sprintf("(%d + hops)", s.fields.NumField()+s.extra)
		}
		b.WriteString(line + indent + "words += " + strings.Join(append(append([]string{}, s.per...), size), " * ") + "\n")
	}
	b.WriteString("    return words\n")
}

func pythonRead(b *strings.Builder) {
	begin := sections[0].fields
	fmt.Fprintf(b, `

def read_header(numbers: list[int], types: int, relations: int, hops: int, coo: bool) -> Header:
    """The header that numbers begin with."""
    make = tuple.__new__  # a NamedTuple's own is a function of Python, which takes longer
    header, at = make(Header, (make(%s, numbers[:%d])%s)), %d
`, begin.Name(), begin.NumField(), strings.Repeat(", []", len(sections)-1), begin.NumField())
	for _, s := range sections[1:] {
		line, indent := condition(s)
		n, counts, size := s.fields.NumField(), "", fmt.Sprint(s.fields.NumField())
		if s.counts != "" {
			counts = fmt.Sprintf(", numbers[at + %d : at + %d + hops]", n, n+s.extra)
			if s.extra == 0 {
				counts = fmt.Sprintf(", numbers[at + %d : at + %d + hops]", n, n)
			}
			size = fmt.Sprintf("%d + hops", n+s.extra)
		}
		b.WriteString(line)
		fields := fmt.Sprintf("numbers[at : at + %d]", n)
		if counts != "" {
			fields = "(*" + fields + counts + ")"
		}
		fmt.Fprintf(b, "%sfor _ in range(%s):\n", indent, strings.Join(s.per, " * "))
		fmt.Fprintf(b, "%s    header.%s.append(make(%s, %s))\n", indent, listOf(s), s.fields.Name(), fields)
		fmt.Fprintf(b, "%s    at += %s\n", indent, size)
	}
	b.WriteString("    return header\n")
}

// snake converts a Go name: EdgeIDs to edge_ids.
func snake(name string) string {
	name = strings.ReplaceAll(name, "IDs", "Ids")
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

package record

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
	"unsafe"
)

var write = flag.Bool("write", false, "write the Python twins instead of comparing them")

// twins is the file of the Python twins.
const twins = "../../python/gonextdoor/_core/records.py"

// head begins that file.
const head = `"""Records that pass the arguments and results of calls of the core: fields of 8 bytes each.

Generated from pybind/record/record.go by go test ./pybind/record -write.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

`

// formats are the struct module's formats of field types, and the Python types of the values.
var formats = map[string][2]string{"int64": {"q", "int"}, "uint64": {"Q", "int"}, "float64": {"d", "float"}}

func TestTheTwinsAreThoseOfTheRecords(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "record.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	text.WriteString(head)
	var layouts strings.Builder
	for _, declaration := range file.Decls {
		if d, ok := declaration.(*ast.GenDecl); ok && d.Tok == token.TYPE {
			spec := d.Specs[0].(*ast.TypeSpec)
			layout := twin(t, &text, spec.Name.Name, d.Doc.Text(), spec.Type.(*ast.StructType))
			fmt.Fprintf(&layouts, "%s = struct.Struct(%q)\n", strings.ToUpper(snake(spec.Name.Name)), "="+layout)
		}
	}
	text.WriteString("\n" + layouts.String())
	if *write {
		if err := os.WriteFile(twins, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if is, err := os.ReadFile(twins); err != nil || !bytes.Equal(is, text.Bytes()) {
		t.Errorf("%s differs from record.go: run go test ./pybind/record -write (%v)", twins, err)
	}
}

// twin writes the Python class of a struct and returns the struct module's format of its fields.
func twin(t *testing.T, out *bytes.Buffer, name, doc string, fields *ast.StructType) string {
	t.Helper()
	var layout, attributes strings.Builder
	fmt.Fprintf(out, "\nclass %s(NamedTuple):\n    \"\"\"%s\"\"\"\n\n", name, wrapped(strings.TrimSpace(doc)))
	for _, field := range fields.Fields.List {
		format, ok := formats[fmt.Sprint(field.Type)]
		if !ok {
			t.Fatalf("%s.%s: fields are int64, uint64 or float64", name, field.Names[0])
		}
		for _, n := range field.Names {
			layout.WriteString(format[0])
			fmt.Fprintf(&attributes, "    %s: %s\n", snake(n.Name), format[1])
		}
	}
	out.WriteString(attributes.String() + "\n")
	return layout.String()
}

// wrapped is a comment as a docstring: its first sentence, and the rest after an empty line.
func wrapped(doc string) string {
	first, rest, _ := strings.Cut(strings.ReplaceAll(doc, "\n", " "), ". ")
	if rest == "" {
		return first
	}
	lines, line := []string{}, "   "
	for _, word := range strings.Fields(rest) {
		if len(line)+1+len(word) > 120 {
			lines, line = append(lines, line), "   "
		}
		line += " " + word
	}
	return first + ".\n\n" + strings.Join(append(lines, line), "\n") + "\n    "
}

// snake writes a name as Python does: EdgeIDs is edge_ids.
func snake(name string) string {
	name = strings.ReplaceAll(name, "IDs", "Ids")
	return strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "${1}_${2}"))
}

func TestFieldsHaveEightBytes(t *testing.T) {
	for name, sizes := range map[string][2]uintptr{
		"Request":       {unsafe.Sizeof(Request{}), unsafe.Offsetof(Request{}.IDs) + 8},
		"Ragged":        {unsafe.Sizeof(Ragged{}), 4 * 8},
		"Layers":        {unsafe.Sizeof(Layers{}), 14 * 8},
		"DeviceResult":  {unsafe.Sizeof(DeviceResult{}), 10 * 8},
		"AppFacts":      {unsafe.Sizeof(AppFacts{}), 6 * 8},
		"Costs":         {unsafe.Sizeof(Costs{}), 16 * 8},
		"FeaturePart":   {unsafe.Sizeof(FeaturePart{}), 6 * 8},
		"FeatureCall":   {unsafe.Sizeof(FeatureCall{}), 5 * 8},
		"FeatureCounts": {unsafe.Sizeof(FeatureCounts{}), 5 * 8},
		"FeatureIDs":    {unsafe.Sizeof(FeatureIDs{}), 5 * 8},
		"FeatureTarget": {unsafe.Sizeof(FeatureTarget{}), 2 * 8},
		"FeatureCache":  {unsafe.Sizeof(FeatureCache{}), 8 * 8},
	} {
		if sizes[0] != sizes[1] {
			t.Errorf("%s has %d bytes, expected %d", name, sizes[0], sizes[1])
		}
	}
}

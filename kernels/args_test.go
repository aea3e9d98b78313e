package kernels

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var write = flag.Bool("write", false, "write the files of parameters instead of comparing them")

// head begins a generated file.
const head = `package %s

// Generated from %s by go test ./kernels -write. %s

`

// The notes of generated files.
const (
	parametersNote = "Fields of parameters have 8 bytes. A missing array has the address 0."
	sizesNote      = "Sizes of arrays and launches, and numbers of cases."
)

// wide are the types of 8 bytes that fields of parameters have, besides addresses and the structs before.
var wide = []string{"u64", "i64", "f64"}

// driverParameters are the structs of one driver's parameters, by their file.
var driverParameters = []statement{
	{"core/featureargs.cuh", "FeatureRead FeatureBatch FeatureWrite FeatureOrder Lookahead"},
	{"driver/exchange.cuh", "ExchangeHome Exchange"},
	{"driver/hostends.cuh", "HostEnds"},
	{"driver/negatives.cuh", "Negatives"},
	{"driver/streamedwalk.cuh", "StreamedWalk"},
	{"app/user.cuh", "Array User Hooked HookedSample"},
	{"result/columns.cuh", "Columns"},
}

// sizes are the constants and enumerations that the host reads, by their file.
var sizes = []statement{
	{"app/collectivesteps.cuh", "CollectiveBy"},
	{"app/induceddraws.cuh", "SaintMethod"},
	{"core/device.cuh", "WarpSize"},
	{"driver/choose.cuh", "HubSlot"},
	{"driver/computed.cuh", "ComputedThreads"},
	{"driver/exchange.cuh", "ExchangeTile"},
	{"driver/featureorder.cuh", "FeatureBuckets"},
	{"driver/hopfrontier.cuh", "TilePicks AllNodes"},
	{"driver/laborchoice.cuh", "LaborCounterWords PickSpace::chunk"},
	{"driver/laborlist.cuh", "WarpListed"},
	{"driver/laborselect.cuh", "CutRowWords LaborLists"},
	{"driver/layered.cuh", "LayeredThreads LayeredCounter"},
	{"driver/layerparts.cuh", "LayerTile"},
	{"driver/negativehops.cuh", "ChunkWords"},
	{"driver/nodes.cuh", "KnownNode NeighborFault ReportDone ReportHead"},
	{"driver/pagerank.cuh", "RankPart"},
	{"driver/partitionedwalk.cuh", "MostPartitions SizeStride PartitionedThreads WalkersPerThread WalkerTileSize"},
	{"driver/queue.cuh", "QueueApart QueueHead"},
	{"driver/sampleoffsets.cuh", "OffsetRows SumsParts TopsThreads"},
	{"driver/streamedwalk.cuh", "MostParts PartSlots StreamedRows StreamedThreads StreamedTile"},
	{"driver/tiles.cuh", "Place NeighborThreads"},
	{"driver/tree.cuh", "TreeThreads ChoiceThreads"},
	{"driver/transit.cuh", "FewTransits"},
	{"graph/buildalias.cuh", "AliasThreadEdges"},
	{"graph/gatheredrows.cuh", "PageEdges"},
	{"graph/packed.cuh", "PackedVertices PackedDegree"},
	{"graph/packedlabels.cuh", "PackedLabelBits"},
	{"graph/segments.cuh", "SegmentEdges SectorEdges"},
	{"graph/slim.cuh", "SlimEdges SlimBits"},
	{"result/columns.cuh", "TileRows TileSlots"},
	{"selector/leafsums.cuh", "MostLeaves"},
	{"selector/remaining.cuh", "RemainingTile"},
}

// statement is what a file of the kernels states for the host: names, apart by spaces.
type statement struct{ file, names string }

func TestParametersAreThoseOfTheKernels(t *testing.T) {
	structs, sources := map[string]string{}, Sources() // the names of those so far in Go
	compare(t, "args.go", fmt.Sprintf(head, "kernels", "core/args.cuh", parametersNote)+parameters(t, structs, sources["core/args.cuh"], nil))
	var drivers, constants strings.Builder
	for _, s := range driverParameters {
		drivers.WriteString(parameters(t, structs, sources[s.file], strings.Fields(s.names)))
	}
	compare(t, "driverargs.go", fmt.Sprintf(head, "kernels", "the headers of drivers", parametersNote)+drivers.String())
	for _, s := range sizes {
		fmt.Fprintf(&constants, "// Of %s.\nconst (\n", s.file)
		for _, name := range strings.Fields(s.names) {
			constants.WriteString(constant(t, s.file, sources[s.file], name))
		}
		constants.WriteString(")\n\n")
	}
	compare(t, "sizes.go", fmt.Sprintf(head, "kernels", "the constants of headers", sizesNote)+constants.String())
	for name := range structs {
		structs[name] = "kernels." + name
	}
	text, err := os.ReadFile("testkernels/args.cuh")
	if err != nil {
		t.Fatal(err)
	}
	imports := "import \"gonextdoor/kernels\"\n\n"
	compare(t, "testkernels/args.go", fmt.Sprintf(head, "testkernels", "args.cuh", parametersNote)+imports+parameters(t, structs, string(text), nil))
}

// constant writes a constant of a .cuh file, a constant of a struct (Struct::name), or the values of an enumeration, as lines of
// a Go const.
func constant(t *testing.T, file, text, name string) (line string) {
	if m := regexp.MustCompile(`(?s)\nenum ` + name + ` : \w+ \{(.*?)\};`).FindStringSubmatch(text); m != nil {
		values := regexp.MustCompile(`//[^\n]*`).ReplaceAllString(m[1], "")
		var out strings.Builder
		for i, value := range strings.FieldsFunc(values, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
			fmt.Fprintf(&out, "%s = %d\n", value, i)
		}
		return out.String()
	}
	before := `\n`
	if of, member, ok := strings.Cut(name, "::"); ok {
		before, name = `struct `+of+` \{[^}]*?static `, member
		defer func() { line = of + exported(line) }()
	}
	m := regexp.MustCompile(before + `constexpr \w+ (?:[^;]*, )?` + name + `\s*=\s*([^,;]+)[,;]`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s has no constant or enumeration %s of the form that kernels/args_test.go reads", file, name)
	}
	return name + " = " + regexp.MustCompile(`(\d)u(?:ll)?\b`).ReplaceAllString(m[1], "$1") + "\n"
}

// compare compares a generated file with its text, or writes it.
func compare(t *testing.T, path, text string) {
	t.Helper()
	made, err := format.Source([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if *write {
		if err := os.WriteFile(path, made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if is, err := os.ReadFile(path); err != nil || string(is) != string(made) {
		t.Errorf("%s differs from the kernels: run go test ./kernels -write (%v)", path, err)
	}
}

// parameters writes structs of a .cuh file as Go's, and adds their names to structs. names are the structs; nil: all.
func parameters(t *testing.T, structs map[string]string, text string, names []string) string {
	var out strings.Builder
	before := len(structs)
	for _, m := range regexp.MustCompile(`(?s)((?://[^\n]*\n)*)struct (\w+) \{\n(.*?)\n\};`).FindAllStringSubmatch(text, -1) {
		if names != nil && !slices.Contains(names, m[2]) {
			continue
		}
		fmt.Fprintf(&out, "%stype %s struct {\n", m[1], m[2])
		for line := range strings.SplitSeq(m[3], "\n") {
			declaration, comment, _ := strings.Cut(line, "//")
			if declaration = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(declaration), ";")); declaration != "" {
				out.WriteString(field(t, structs, declaration))
			}
			if comment != "" {
				out.WriteString(" //" + comment)
			}
			out.WriteString("\n")
		}
		out.WriteString("}\n\n")
		structs[m[2]] = m[2]
	}
	if found := len(structs) - before; names != nil && found != len(names) {
		t.Errorf("found %d of the structs %v", found, names)
	}
	return out.String()
}

func field(t *testing.T, structs map[string]string, declaration string) string {
	typ, rest, _ := strings.Cut(strings.TrimPrefix(declaration, "const "), " ")
	rest, length, array := strings.Cut(rest, "[")
	if array {
		length = "[" + length
	}
	var names []string
	for name := range strings.SplitSeq(rest, ",") {
		names = append(names, exported(strings.TrimSpace(name)))
	}
	list := strings.Join(names, ", ")
	switch {
	case structs[typ] != "":
		return list + " " + length + structs[typ]
	case !strings.HasSuffix(typ, "*") && !slices.Contains(wide, typ):
		t.Errorf("%s has not 8 bytes", declaration)
	}
	return list + " " + length + "uint64"
}

// exported writes a name as Go does: to_vertices is ToVertices.
func exported(name string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word == "id" || word == "ids" {
			out.WriteString("ID" + word[2:])
		} else {
			out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return out.String()
}

func TestSourcesAreByTheirIncludeNames(t *testing.T) {
	include := regexp.MustCompile(`(?m)^#include "([^"]+)"`)
	all := Sources()
	if len(all) < 5 {
		t.Fatalf("only %d files", len(all))
	}
	for name, text := range all {
		for _, m := range include.FindAllStringSubmatch(text, -1) {
			if _, ok := all[m[1]]; !ok {
				t.Errorf("%s includes %s, which is no file of kernels", name, m[1])
			}
		}
	}
}

package mutant

import (
	"testing"

	"gonextdoor/gonextdoor/engine/enginetest"
)

// endWordMutants are faults of the words of rows.
var endWordMutants = []memoryMutant{
	{
		"the edges before a word counted from 1", "endwords.go",
		"Before: uint32(i)}", "Before: uint32(i + 1)}", "TestEndWords",
	},
	{
		"the end itself counted among the edges before it", "endwords.go",
		"w.Ends&(bit-1)", "w.Ends&(bit-1|bit)", "TestEndWords",
	},
	{
		"bits shifted by one", "endwords.go",
		"1 << (u & 63)", "1 << ((u + 1) & 63)", "TestEndWords",
	},
	{
		"ends of 32 per word", "endwords.go",
		"w.Word<<6 + ", "w.Word<<5 + ", "TestEndWords",
	},
	{
		"parallel edges in one word", "endwords.go",
		"|| u <= before", "|| u < before", "TestEndWords",
	},
	{
		"rows that do not ascend in one word", "endwords.go",
		"|| u <= before", "|| u == before", "TestEndWords",
	},
	{
		"the last word of a row left out", "endwords.go",
		"w.Words[w.First[v]:w.First[v+1]]", "w.Words[w.First[v]:max(w.First[v], w.First[v+1]-1)]", "TestEndWords",
	},
	{
		"words made when half of the ends had been read", "endwords.go",
		"least := int64(g.NumEdges())", "least := int64(g.NumEdges()) / 2", "TestEndWords",
	},
}

// foundByWordsMutants are faults of the search in them.
var foundByWordsMutants = []memoryMutant{
	{
		"the words of the next vertex", "finder.go",
		"f.wordsOf(vertices[i])", "f.wordsOf(vertices[min(i+1, len(vertices)-1)])", "TestAmong",
	},
	{
		"the edges of all rows counted anew in each", "finder.go",
		"&f.hits[at], &f.ends[at])", "&f.hits[0], &f.ends[0])", "TestAmong",
	},
	{
		"the last end of a row without words left out", "finder.go",
		"range f.hits[at : at+n] {", "range f.hits[at : at+max(n-1, 0)] {", "TestAmong",
	},
}

// TestMutantsOfEndWords breaks packages index and induced in overlays of their source, and runs their tests.
func TestMutantsOfEndWords(t *testing.T) {
	checkPackage(t, "endwords", "Words of rows", endWordMutants, "gonextdoor/graph/index", enginetest.NewShare(t, 4)) // each compiles the package
	checkPackage(t, "foundbywords", "Search in words", foundByWordsMutants, "gonextdoor/engine/cpu/induced", enginetest.NewShare(t, 3))
}

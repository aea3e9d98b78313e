package mutant

import (
	"testing"

	"gonextdoor/gonextdoor/engine/enginetest"
)

const featureFolder = "gonextdoor/feature"

// featureMutants are faults of stores of features.
var featureMutants = []memoryMutant{
	{
		"an id beyond the last row", "ids.go",
		"uint64(id) >= uint64(rows)", "uint64(id) > uint64(rows)", "TestIDs",
	},
	{
		"the position of an id within its piece", "ids.go",
		"outside(lo+i, id, rows)", "outside(i, id, rows)", "TestTheFirstBadID",
	},
	{
		"the last row of a part taken for one of the next", "host.go",
		"id < h.starts[k+1]", "id+1 < h.starts[k+1]", "TestReadsEqual",
	},
	{
		"gaps between the rows of a file ignored", "file.go",
		"e.part.Offset + e.row*e.part.Stride", "e.part.Offset + e.row*int64(len(e.to))", "TestReadsEqual",
	},
	{
		"consecutive rows read beyond the end of a part", "file.go",
		"row+n < p.Rows", "row+n <= p.Rows", "TestReadsEqual",
	},
	{
		"a row that was read in part taken for complete", "file.go",
		"case n == len(e.to):", "case n > 0:", "TestTruncatedFiles",
	},
	{
		"rows of four bytes copied as two", "copy.go",
		"copyElements[uint32]", "copyElements[uint16]", "TestCopies",
	},
	{
		"the prefetched row copied", "copy.go",
		"one(unsafe.Add(to, i*size), row, size)", "one(unsafe.Add(to, i*size), max(row, from[min(i+ahead, len(from)-1)]), size)", "TestCopies",
	},
	{
		"the first update of equal ids kept", "host.go",
		"for i, id := range ids {\n\t\tp, row := h.part(id)", "for i := len(ids) - 1; i >= 0; i-- {\n\t\tid := ids[i]\n\t\tp, row := h.part(id)", "TestUpdates",
	},
	{
		"rows updated before all ids are checked", "host.go",
		"q.IDs.Copy(0, ids, h.Rows()); err != nil ||", "q.IDs.Copy(0, ids, 1<<40); err != nil ||", "TestUpdates",
	},
}

// TestMutantsOfFeatures breaks package feature in an overlay of its source, and runs its tests.
func TestMutantsOfFeatures(t *testing.T) {
	checkPackage(t, "features", "Features", featureMutants, featureFolder, enginetest.NewShare(t, 5)) // each compiles the package
}

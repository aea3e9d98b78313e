package mutant

import (
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/enginetest"
)

// gatherMutants are faults of layered samples on a graph that is copied to GPU memory row by row.
var gatherMutants = []memoryMutant{
	{
		"gathered: rows copied over those that are there", "internal/parts/gatheredrows.go",
		"w.To[k]+uintptr(size*w.used)", "w.To[k]+uintptr(size)", "TestLayersLargerThanTheBudget",
	},
	{
		"gathered: rows that were removed still marked as there", "internal/parts/gatheredrows.go",
		"if err != nil {\n\t\treturn err\n\t}\n\treturn resident.UploadBy", "if err != nil || len(w.pending) > 0 {\n\t\treturn err\n\t}\n\treturn resident.UploadBy", "TestFewGatheredRows",
	},
	{
		"gathered: the first edge of each row left out", "internal/parts/gatheredrows.go",
		"+ pos/size - begin // sizes", "+ pos/size - begin + 1 // sizes", "TestLayersLargerThanTheBudget",
	},
	{
		"gathered: ids of edges taken for positions", "internal/layered/arrays.go",
		"if l.Gathering {", "if l.Gathering && l.Rows == 0 {", "TestLayersLargerThanTheBudget",
	},
	{
		"gathered: the sum of shares before an edge taken for the one up to it", "internal/parts/gatheredrows.go",
		"pointerTo(shares.Sums[1:])", "pointerTo(shares.Sums)", "TestLayersLargerThanTheBudget",
	},
	{
		"gathered: pages that begin one edge too early", "internal/parts/gatherspec.go",
		"return uint64(i) * kernels.PageEdges, min(", "return max(1, uint64(i)*kernels.PageEdges) - 1, min(", "TestLayersLargerThanTheBudget",
	},
	{
		"gathered: a frontier that asks ahead although memory is short", "internal/parts/gatheredrows.go",
		"case w.window == 1 && w.Ahead:", "case w.window == 0 && w.Ahead:", "TestFrontiersAskAhead",
	},
}

// TestMutantsOfGatheredRows breaks package gpu in an overlay of its source, and runs its tests.
func TestMutantsOfGatheredRows(t *testing.T) {
	cudatest.Emulated(t)
	if cuda.Status() != nil {
		t.Skip(cuda.Status())
	}
	checkPackage(t, "gathered", "GPU", gatherMutants, "gonextdoor/engine/gpu", enginetest.NewShare(t, len(gatherMutants))) // each compiles the package
}

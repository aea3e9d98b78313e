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
		"gathered: rows copied over those that are there", "gatheredrows.go",
		"w.to[k]+uintptr(size*w.used)", "w.to[k]+uintptr(size)", "TestLayersLargerThanTheBudget",
	},
	{
		"gathered: rows that were removed still marked as there", "gatheredrows.go",
		"if err != nil {\n\t\treturn err\n\t}\n\treturn resident.UploadBy", "if err != nil || len(w.pending) > 0 {\n\t\treturn err\n\t}\n\treturn resident.UploadBy", "TestFewGatheredRows",
	},
	{
		"gathered: the first edge of each row left out", "gatheredrows.go",
		"+ pos/size - begin // sizes", "+ pos/size - begin + 1 // sizes", "TestLayersLargerThanTheBudget",
	},
	{
		"gathered: ids of edges taken for positions", "layerarrays.go",
		"if l.gathering {", "if l.gathering && l.rows == 0 {", "TestLayersLargerThanTheBudget",
	},
}

// TestMutantsOfGatheredRows breaks package gpu in an overlay of its source, and runs its tests.
func TestMutantsOfGatheredRows(t *testing.T) {
	cudatest.Emulated(t)
	if cuda.Status() != nil {
		t.Skip(cuda.Status())
	}
	checkPackage(t, "GPU", gatherMutants, "gonextdoor/engine/gpu", enginetest.NewShare(t, 4)) // each compiles the package
}

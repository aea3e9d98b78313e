package mutant

import (
	"os"
	"strings"
	"testing"
)

// docs/proof.md must have the table as it is printed.
func TestMutantsAreInTheDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/proof.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range mutants() {
		names = append(names, m.name)
	}
	for _, m := range batchMutants {
		names = append(names, m.name)
	}
	for _, m := range engineMutants {
		names = append(names, "Engine: "+m.name)
	}
	for _, m := range drawerMutants {
		names = append(names, "Mini-batch engine: "+m.name)
	}
	for _, m := range kernelMutants {
		names = append(names, "GPU: "+m.name)
	}
	for _, m := range poolMutants {
		names = append(names, "Memory: "+m.name)
	}
	for _, m := range memoryMutants {
		names = append(names, "GPU memory: "+m.name)
	}
	for _, m := range partitionMutants {
		names = append(names, "Parts: "+m.name)
	}
	for _, m := range gatherMutants {
		names = append(names, "GPU: "+m.name)
	}
	for _, m := range featureMutants {
		names = append(names, "Features: "+m.name)
	}
	for _, m := range askingMutants {
		names = append(names, "Asking parts: "+m.name)
	}
	for _, m := range assemblyMutants {
		names = append(names, "Assemblies: "+m.name)
	}
	for _, m := range numberMutants {
		names = append(names, "Numbers: "+m.name)
	}
	for _, m := range rankMutants {
		names = append(names, strings.TrimPrefix(m.name, "PageRank: "))
	}
	for _, name := range names {
		if !strings.Contains(string(text), "| "+name+" |") {
			t.Errorf("docs/proof.md does not show %q", name)
		}
	}
}

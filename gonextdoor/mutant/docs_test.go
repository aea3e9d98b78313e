package mutant

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The results in docs/results/mutants have a row for each mutant, and no others but those of the loaders.
func TestMutantsAreInTheResults(t *testing.T) {
	files, err := filepath.Glob("../../docs/results/mutants/*.csv")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, file := range files {
		text, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(text).ReadAll() // refuses rows that are shorter or longer than the first
		text.Close()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, row := range rows[1:] {
			if name := row[0]; listed[name] {
				t.Errorf("%s: %q is listed twice", file, name)
			} else {
				listed[name] = !strings.HasPrefix(name, "Loader: ")
			}
		}
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
	for _, m := range endWordMutants {
		names = append(names, "Words of rows: "+m.name)
	}
	for _, m := range foundByWordsMutants {
		names = append(names, "Search in words: "+m.name)
	}
	for _, m := range numberMutants {
		names = append(names, "Numbers: "+m.name)
	}
	for _, m := range versionMutants {
		names = append(names, "Versions: "+m.name)
	}
	for _, m := range versionAliasMutants {
		names = append(names, "Alias tables of versions: "+m.name)
	}
	for _, m := range versionEdgeSetMutants {
		names = append(names, "Edge sets of versions: "+m.name)
	}
	for _, m := range keptMutants {
		names = append(names, "Kept samples: "+m.name)
	}
	for _, m := range localMutants {
		names = append(names, "Apps that keep samples: "+m.name)
	}
	for _, m := range savedMutants {
		names = append(names, "Saved versions: "+m.name)
	}
	for _, m := range rankMutants {
		names = append(names, m.name)
	}
	for _, name := range names {
		if !listed[name] {
			t.Errorf("docs/results/mutants does not list %q", name)
		}
		delete(listed, name)
	}
	for name, left := range listed {
		if left {
			t.Errorf("docs/results/mutants lists %q, which is no mutant", name)
		}
	}
}

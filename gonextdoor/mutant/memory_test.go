package mutant

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/enginetest"
)

// memoryMutant is one fault in the Go source of a package that keeps memory: in a file, a piece of text that occurs once is
// replaced with another. The tests of that name must find it.
type memoryMutant struct {
	name         string
	file         string
	right, wrong string
	tests        string // a pattern of go test -run
}

const residentFolder = "gonextdoor/engine/gpu/resident"

const poolFolder = "gonextdoor/offheap"

// poolMutants are faults of memory outside the Go heap.
var poolMutants = []memoryMutant{
	{
		"a block kept with the class of its request", "pool.go",
		"p.lent(block, capacity)", "p.lent(block, 1<<class)", "TestPool",
	},
	{
		"pages of 4 KiB assumed", "offheap.go",
		"(bytes + page - 1) &^ (page - 1)", "(bytes + 4095) &^ 4095", "TestLargePages",
	},
}

// memoryMutants are faults of graphs that are split over GPUs, and of uploads.
var memoryMutants = []memoryMutant{
	{
		"a pinned buffer filled while the GPU reads it", "upload.go",
		"if err := u.sent[i].Synchronize(); err != nil {\n\t\treturn err\n\t}\n\t// 2.", "// 2.", "TestUploads",
	},
	{
		"only one of two pinned buffers in use after the first", "upload.go",
		"to+uintptr(at), from,", "to+uintptr(at), u.pinned[min(1, at/u.chunk)].Pointer,", "TestUploads",
	},
	{
		"a piece in the memory of another GPU than its rows", "cut.go",
		"home: p.homes[i],", "home: p.homes[n-1-i],", "TestPieces",
	},
	{
		"arrays by edge cut by vertices", "cut.go",
		"case along == byVertex &&", "case along != byHash &&", "TestSplitLayoutsTakeEqualShares",
	},
	{
		"a replica that is not copied", "replicas.go",
		"if a.copies[m][i] == nil {\n\t\t\tcontinue", "if a.copies[m][i] == nil || i == 1 {\n\t\t\tcontinue", "TestSplitLayoutsEqual",
	},
	{
		"a view without its replicas", "replicas.go",
		"if c := a.copies[m][i]; c != nil {", "if c := a.copies[m][i]; c != nil && i > 99 {", "TestPieces",
	},
	{
		"layouts read by other streams before they are complete", "hold.go",
		"return s.Wait(p.ready)", "return nil", "TestOtherGPUs",
	},
	{
		"streams of two GPUs taken for one", "hold.go",
		"p.stream == s && !p.foreign()", "p.stream == s", "TestOtherGPUs",
	},
	{
		"a freed replica replaced by another piece", "replicas.go",
		"s.remap(a.views[m], m, p, p.chunk)", "s.remap(a.views[m], m, p, a.pieces[(one.piece+1)%len(a.pieces)].chunk)", "TestReplicas",
	},
	{
		"replicas freed while other calls read them", "admit.go",
		"p.holds != h.count(p)", "false", "TestReplicasInUse",
	},
	{
		"memory freed while kernels of a GPU read it", "split.go",
		"errors.Join(s.synchronize(), s.free())", "s.free()", "TestSplitLayoutsInUse",
	},
	{
		"a layout freed while another GPU holds it", "hold.go",
		"p.split.holds.Add(1)", "p.split.holds.Add(0)", "TestSplitLayoutsInUse",
	},
	{
		"replicas beyond the budget", "split.go",
		"limit-s.held-own,", "limit,", "TestBudgets",
	},
	{
		"chunks that are not released after an error", "split.go",
		"err = errors.Join(err, a.pieces[i].chunk.Release())", "", "TestEveryChunk",
	},
}

// TestMutantsOfSplitMemory breaks package resident in an overlay of its source, and runs its tests.
func TestMutantsOfSplitMemory(t *testing.T) {
	cudatest.Emulated(t)
	if cuda.Status() != nil {
		t.Skip(cuda.Status())
	}
	checkPackage(t, "splitmemory", "GPU memory", memoryMutants, residentFolder, enginetest.NewShare(t, 11)) // each compiles the package
}

// TestMutantsOfThePool breaks package offheap in an overlay of its source, and runs its tests.
func TestMutantsOfThePool(t *testing.T) {
	checkPackage(t, "pool", "Memory", poolMutants, poolFolder, enginetest.NewShare(t, 2)) // each compiles the package
}

// checkPackage reports a mutant of the package in a folder that no test finds, and adds the others to the results of that file.
// It also reports each mutant whose text the package does not have, whether or not the share takes it.
func checkPackage(t *testing.T, file, title string, mutants []memoryMutant, folder string, share *enginetest.Share) {
	t.Helper()
	out := newResults(t, file, columns)
	for _, m := range mutants {
		if !share.Takes() {
			if _, err := m.overlay(folder, t.TempDir()); err != nil {
				t.Errorf("%s: %v", m.name, err)
			}
			continue
		}
		test, how, err := m.dies(t, folder)
		switch {
		case err != nil:
			t.Errorf("%s: %v", m.name, err)
		case how == "":
			t.Errorf("%s: alive", m.name)
		default:
			out.add(title+": "+m.name, likely, test, fmt.Sprintf("%.60s", how))
		}
	}
}

// dies runs the tests of the package in a folder, and returns the test that failed, and its first message.
func (m memoryMutant) dies(t *testing.T, of string) (test, how string, err error) {
	overlay, err := m.overlay(of, t.TempDir())
	if err != nil {
		return "", "", err
	}
	child := exec.Command("go", "test", "-short", "-vet=off", "-failfast", "-timeout=100s", "-overlay="+overlay, "-run="+m.tests, "./"+of)
	child.Dir = cudatest.Root()
	child.Env = append(os.Environ(), "GONEXTDOOR_HOST_SECONDS=20")
	said, err := child.CombinedOutput()
	if err == nil {
		return "", "", nil
	}
	for line := range strings.Lines(string(said)) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "--- FAIL: "); ok && test == "" {
			test, _, _ = strings.Cut(rest, " ")
		}
		if _, rest, ok := strings.Cut(line, ".go:"); ok && test != "" && how == "" && !strings.Contains(rest, enginetest.SeedVariable) {
			_, how, _ = strings.Cut(rest, ": ")
		}
		if rest, ok := strings.CutPrefix(line, "panic: "); ok && how == "" {
			how, _, _ = strings.Cut(rest, " [recovered")
		}
	}
	if test == "" || how == "" {
		return "", "", fmt.Errorf("%w\n%.2000s", err, said)
	}
	return test, how, nil
}

// overlay writes the broken file of a package to a folder, and the file for go test -overlay that puts it in the place of the
// right one.
func (m memoryMutant) overlay(of, folder string) (path string, err error) {
	right := filepath.Join(cudatest.Root(), filepath.FromSlash(of), m.file)
	text, err := os.ReadFile(right)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.right); n != 1 {
		return "", fmt.Errorf("%s has %q %d times, expected once", m.file, m.right, n)
	}
	wrong := filepath.Join(folder, filepath.Base(m.file))
	if err := os.WriteFile(wrong, []byte(strings.Replace(string(text), m.right, m.wrong, 1)), 0o644); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {right: wrong}})
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, list, 0o644)
}

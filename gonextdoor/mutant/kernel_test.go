package mutant

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/plan"
)

// kernelMutant is one fault in the source of the kernels: in a file, a piece of text that occurs once is replaced with
// another.
type kernelMutant struct {
	name, source string
	file         string
	right, wrong string
	apps         string // the apps whose cases are run; empty: all; or one of those below
}

// Cases that belong to no app: task queues alone, mini-batches, and the mini-batches that the kernels of ranges, of LABOR and of
// end points that the host reads draw.
const tasks, miniBatches, rangeBatches, laborBatches = "tasks", "NeighborSampling", "NeighborSampling:ranges", "NeighborSampling:LABOR"
const hostBatches = "NeighborSampling:host"

// reports are mini-batches that are alone in their launch, of which the sizes are reported early.
const reports = "NeighborSampling:reports"

// visitCounts are the visits of samples on two devices, which are added up.
const visitCounts = "visits"

// exchanges are walks that two GPUs make together.
const exchanges = "exchanged walks"

// scans are the choices of the test kernels of selector/scanwithout.cuh.
const scans = "ScanWithout"

// offsets are prefix sums of random tops, by driver/sampleoffsets.cuh alone.
const offsets = "offsets"

// trees are the apps of the kernels of driver/tree.cuh.
const trees = "KHop Neighbor"

const underMutant = "GONEXTDOOR_MUTANT"

// Kernels are broken in a copy of their source, with which the emulated driver is built. A separate process then runs
// the conformance suite over the GPU engine, until a case fails.
func TestMutantsOfKernels(t *testing.T) {
	cudatest.Emulated(t)
	if cuda.Status() != nil {
		t.Skip(cuda.Status())
	}
	out := newResults(t, "kernels", columns)
	if _, how, err := (kernelMutant{file: "driver/rows.cuh", apps: "PPR"}).dies(t); how != "" || err != nil {
		t.Fatalf("kernels without a fault: %s (%v)", how, err)
	}
	share := enginetest.NewShare(t, 71) // each compiles kernels and starts a process
	for _, m := range kernelMutants {
		if !share.Takes() {
			continue
		}
		run, how, err := m.dies(t)
		switch {
		case err != nil:
			t.Errorf("%s: %v", m.name, err)
		case how == "":
			t.Errorf("%s: alive", m.name)
		default:
			out.add("GPU: "+m.name, m.source, run, fmt.Sprintf("%.60s", how))
		}
	}
}

// dies returns the case that killed the mutant, and the difference that it reported.
func (m kernelMutant) dies(t *testing.T) (run, how string, err error) {
	path, err := m.build(t.TempDir())
	if err != nil {
		return "", "", err
	}
	child := exec.Command(os.Args[0], "-test.run=^TestUnderMutant$", "-test.v", "-test.timeout=300s")
	child.Env = append(os.Environ(), "GONEXTDOOR_LIBCUDA="+path, underMutant+"="+m.apps+" ", "GONEXTDOOR_HOST_SECONDS=60")
	said, err := child.CombinedOutput()
	for line := range strings.Lines(string(said)) {
		if rest, ok := strings.CutPrefix(line, "killed by "); ok {
			run, how, _ = strings.Cut(strings.TrimSpace(rest), ": ")
			return run, how, nil
		}
	}
	if err != nil {
		return "", "", fmt.Errorf("%w\n%.2000s", err, said)
	}
	return "", "", nil
}

func (m kernelMutant) build(folder string) (path string, err error) {
	kernels := filepath.Join(cudatest.Root(), "kernels")
	if err := os.CopyFS(folder, copied{os.DirFS(kernels)}); err != nil {
		return "", err
	}
	at := filepath.Join(folder, filepath.FromSlash(m.file))
	text, err := os.ReadFile(at)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.right); n != 1 && m.right != "" {
		return "", fmt.Errorf("%s has %q %d times, expected once", m.file, m.right, n)
	}
	if err := os.WriteFile(at, []byte(strings.Replace(string(text), m.right, m.wrong, 1)), 0o644); err != nil {
		return "", err
	}
	return cudatest.Build(folder)
}

// copied copies the folder of kernels without build outputs.
type copied struct{ fs.FS }

func (c copied) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "bin" {
		return nil, nil
	}
	return fs.ReadDir(c.FS, name)
}

// pieces has the variants in which mutants are run.
var pieces = []gpu.Tuning{
	{}, {LaunchSteps: 100, LaunchRows: 33, ChunkSteps: 3, HostRows: 70}, {Variant: 99, ChunkSteps: 2, LaunchSteps: 100, LaunchRows: 5, Order: plan.TransitOrder},
	{LaneDegree: 4, ChunkSteps: 5, LayeredCapacity: 2, LayeredArena: 40, LayeredLanes: 4, LayeredSearch: 1, LayeredGrid: 3},
	{Parts: 5, PartSlots: 3, ChunkSteps: 2, LaunchSteps: 10},
}

// TestUnderMutant runs in the process of a mutant.
func TestUnderMutant(t *testing.T) {
	apps, ok := os.LookupEnv(underMutant)
	if !ok {
		t.Skip("it is for a process of its own")
	}
	d, err := cuda.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	switch strings.TrimSpace(apps) {
	case tasks:
		loseTasks(t, d)
		return
	case scans:
		scanWithout(d)
		return
	case offsets:
		sumTops(d)
		return
	case visitCounts:
		addVisits(t)
		return
	case miniBatches:
		drawBatches(d, neighborBatch, gpu.Tuning{}, gpu.Tuning{NeighborBlocks: 4, NeighborHub: 3, NeighborSlots: 2}, gpu.Tuning{NeighborHashed: true})
		return
	case reports:
		drawBatches(d, neighborBatch, gpu.Tuning{})
		return
	case laborBatches:
		drawBatches(d, laborBatch, gpu.Tuning{}, gpu.Tuning{NeighborBlocks: 4, NeighborHub: 3, NeighborSlots: 2})
		return
	case hostBatches:
		drawBatches(d, hostBatch, gpu.Tuning{NearEdges: 30, NeighborBlocks: 3}, gpu.Tuning{NearEdges: -1, NeighborHashed: true})
		return
	case exchanges:
		exchangeWalks(t, d)
		return
	case featureReads:
		readFeatures(t, d)
		return
	case rangeBatches:
		drawBatches(d, rangeBatch, gpu.Tuning{}, gpu.Tuning{NeighborBlocks: 3, NeighborPicks: 1})
		return
	}
	variants := enginetest.Variants(true)
	for i, c := range enginetest.Cases() {
		p, err := plan.New(c.App, c.Graph, c.Width)
		if err != nil {
			continue
		}
		if _, err := gpu.Compile(p); err != nil || !wants(strings.Fields(apps), c.App.Name()) {
			continue
		}
		for k, tuning := range pieces {
			if tuning.Parts > 0 && p.Driver == app.DriverTree {
				tuning.LaunchSteps = 20000 // each launch of a tree reads all parts
			}
			for _, v := range []enginetest.Variant{variants[(i+k)%len(variants)], {Threads: 1, Edges: true, Packed: true, Repeat: 1, Seed: 7, Many: true}} {
				if err := c.Check(gpu.Engine{Device: d, Tuning: tuning}, v); err != nil {
					fmt.Printf("killed by %s: %s\n", c.Name, firstLine(err))
					return
				}
			}
		}
	}
}

// loseTasks runs tasks that create tasks, until one is lost.
func loseTasks(t *testing.T, d *cuda.Device) {
	cudatest.Set(t, "seconds", 5) // waiting for a lost task never ends
	for order := uint64(1); order <= 3; order++ {
		cudatest.Set(t, "seed", order)
		for _, by := range []gputest.By{gputest.Warps, gputest.Blocks} {
			for _, slots := range []int{2, 1024} {
				if err := gputest.GrowTasks(d, by, 3000, slots, 3); err != nil {
					fmt.Printf("killed by tasks that make tasks, %s: %s\n", by, firstLine(err))
					return
				}
			}
		}
	}
}

// scanWithout makes choices by 64-bit biases, until one differs from the definition.
func scanWithout(d *cuda.Device) {
	choices := gputest.ScanCorpus(5)
	for form := range gputest.ScanForms {
		want := gputest.ScanPicks(form, choices)
		for _, threads := range gputest.ScanGroups {
			if err := gputest.CheckScans(d, form, choices, want, threads); err != nil {
				fmt.Printf("killed by form %d of %d threads: %s\n", form, threads, firstLine(err))
				return
			}
		}
	}
}

// sumTops computes prefix sums of tops, until one is wrong.
func sumTops(d *cuda.Device) {
	for _, count := range gputest.TopCounts {
		if err := gputest.CheckTops(d, count); err != nil {
			fmt.Printf("killed by %d tops: %s\n", count, firstLine(err))
			return
		}
	}
}

// Kinds of mini-batches: by neighbour sampling, of these by time or with excluded edges, and by LABOR; and those that need
// degrees only.
func neighborBatch(c enginetest.BatchCase) bool { return !c.App.Labor() }
func laborBatch(c enginetest.BatchCase) bool    { return c.App.Labor() }
func rangeBatch(c enginetest.BatchCase) bool {
	return neighborBatch(c) && (c.App.Temporal != "" || c.SeedNodes.Excluded != nil)
}

func hostBatch(c enginetest.BatchCase) bool { return gpu.ReadsDegreesOnly(c.Graph, c.App, c.SeedNodes) }

// drawBatches draws the mini-batches of a kind by some tunings in turn, until one differs from the definition.
func drawBatches(d *cuda.Device, wanted func(enginetest.BatchCase) bool, tunings ...gpu.Tuning) {
	at := 0
	for _, c := range enginetest.BatchCases() {
		if !wanted(c) {
			continue
		}
		if at++; at%7 != 0 {
			continue // each starts threads
		}
		way := at / 7 % len(tunings)
		n := gpu.NewNeighborSampler(gpu.Engine{Device: d, Tuning: tunings[way]}, c.Graph)
		if err := c.Check(gputest.Drawer{NeighborSampler: n, Others: 2 * way, FromHost: tunings[way].NearEdges != 0}); err != nil {
			fmt.Printf("killed by %s: %s\n", c.Name, firstLine(err))
			return
		}
		n.Close()
	}
}

func wants(apps []string, app string) bool {
	for _, a := range apps {
		if a == app {
			return true
		}
	}
	return len(apps) == 0
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Every text that a mutant replaces exists.
func TestMutantsOfKernelsAreOfTheText(t *testing.T) {
	for _, m := range kernelMutants {
		text, err := os.ReadFile(filepath.Join(cudatest.Root(), "kernels", filepath.FromSlash(m.file)))
		if errors.Is(err, fs.ErrNotExist) || strings.Count(string(text), m.right) != 1 || m.right == m.wrong {
			t.Errorf("%s: %s does not have %q once", m.name, m.file, m.right)
		}
	}
}

// Package tree has the driver of trees of given fan-outs, in the order of the samples or sorted by transit.
package tree

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/parts"
	"gonextdoor/gonextdoor/engine/gpu/internal/walk"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// Spec runs trees of given fan-outs. If all are 1, each root is a walker of the kernel multiroot, which makes all steps
// in one launch.
func Spec(p plan.Plan) (launch.Spec, error) {
	a, ok := p.App.(app.FanoutTree)
	if !ok {
		return launch.Spec{}, launch.NoKernel(p)
	}
	fanouts := a.TreeFanouts()
	t := tree{fanouts: fanouts, replace: a.Replaces(), weights: a.Weights(), maxDegree: int(p.Graph.MaxDegree())}
	if !slices.ContainsFunc(fanouts, func(f int) bool { return f != 1 }) {
		parts := parts.SpecOf("multiroot", a)
		parts.Walkers = p.Width / (1 + len(fanouts))
		return launch.Spec{Variants: walk.TableVariants("multiroot", a.Weights()), SideBySide: true, Beyond: parts}, nil
	}
	w := launch.Spec{Variants: t.variants(), Slowdown: t.slowdown(), Calls: func() launch.Callbacks {
		return launch.Callbacks{Samples: func(r *launch.Run) error { return (&treeRun{tree: t, run: r}).samples() }}
	}}
	if parts := treePartSpec(t); parts != nil {
		w.Beyond = parts
	}
	return w, nil
}

// tree describes trees of given fan-outs.
type tree struct {
	fanouts   []int
	replace   bool
	weights   app.Weighted // Yes: choices follow biases
	maxDegree int
}

// variants returns the layouts that the steps read, with the kernel of the first kind of step. treeRun.kernel derives the
// names of the others.
func (t tree) variants() []launch.Variant {
	if t.replace {
		return walk.TableVariants("tree", t.weights)
	}
	want := resident.Rows
	if t.weighted() {
		want = resident.Alias | resident.Biases
	}
	return []launch.Variant{
		{Layout: resident.Packed | want, Kernel: launch.Kernel{Name: t.selector() + "_1_packed"}},
		{Layout: want, Kernel: launch.Kernel{Name: t.selector() + "_1_plain"}},
	}
}

// weighted reports whether choices follow biases.
func (t tree) weighted() bool { return t.weights == app.Yes }

// selector returns the beginning of the names of kernels that choose without replacement.
func (t tree) selector() string {
	if t.weighted() {
		return "tree_successive"
	}
	return "tree_permute"
}

// slowdown is the approximate cost of a pick in steps of a walk. In transit order, few long launches are faster than many. With
// 1 and 2 instead of 2 and 4, and picks that are staged transit by transit, G1 takes 40.2 instead of 37.5 G edges/s, by weight
// 29.1 instead of 26.1.
func (t tree) slowdown() int64 {
	if t.weighted() && !t.replace {
		return 2
	}
	return 1
}

// treeRun is one run of a tree.
type treeRun struct {
	tree
	run       *launch.Run
	rows      int         // of a launch; the last one may have fewer
	postponed cuda.Memory // a bit per thread of the largest launch
	long      longChoices
	orders    []plan.Order // of the steps
	order     *transitOrder
	parts     *parts.Sweep // nil: the whole graph is in GPU memory
}

// treeStep is the kernel of a step.
type treeStep struct {
	kernel  launch.Kernel
	workers int    // groups per block, each of which takes a transit
	picks   int    // elements of shared memory per block
	rest    string // the kernel that makes the postponed choices; empty: there are none
	long    bool   // choices are made in device memory
	few     bool   // the kernel is for this fan-out
}

// samples makes all steps of some rows, then those of the next.
func (t *treeRun) samples() error {
	r := t.run
	rows := int(r.Args.B.Rows)
	if rows == 0 {
		return nil
	}
	// 1. Choose the number of rows of a launch. A launch has all transits of a step, unless these are too many picks.
	picks, largest := int64(r.Plan.Width-r.Batch.Roots.Width), int64(slices.Max(t.fanouts))
	each := max(r.LaunchSteps()/picks, int64(r.LaunchRows()))
	each = min(int64(rows), max(1, min(each, r.LaunchSteps()/largest)))
	if each > kernels.TreeThreads {
		each -= each % kernels.TreeThreads
	}
	t.rows = int(each)
	r.Launcher.Limited = t.parts != nil || picks*int64(rows) > r.LaunchSteps()
	wanted := r.Batch.Order
	if wanted == "" {
		wanted = r.Engine.Tuning.Order
	}
	t.orders = r.Plan.Orders(rows, r.Batch.Roots.Width, wanted)
	if t.parts != nil {
		if err := t.sortAll(); err != nil {
			return err
		}
	}
	if err := t.allocate(); err != nil {
		return err
	}
	// 2. Launch the steps.
	for lo := 0; lo < rows; lo += t.rows {
		b := r.Args.B
		b.From, b.Rows = uint64(lo), uint64(min(lo+t.rows, rows))
		if err := t.steps(b); err != nil {
			return err
		}
	}
	return nil
}

// steps makes the steps of the rows of b.
func (t *treeRun) steps(b kernels.Batch) error {
	r := t.run
	a := kernels.Tree{
		G: r.Args.G, B: b, Vertices: r.Args.T.Vertices, Edges: r.Args.T.Edges, Stride: r.Args.T.Stride,
		Transits: b.Width, Postponed: uint64(t.postponed.Address),
	}
	for i, f := range t.fanouts {
		a.Step, a.Fanout = uint64(i), uint64(f)
		sorted, each := t.sorted(i, int(a.Transits)), t.transits(f)
		if sorted {
			each = t.sortedRows(int(a.Transits), f)
		}
		for begin := 0; begin < int(a.Transits); begin += each {
			a.Begin, a.End = uint64(begin), min(uint64(begin+each), a.Transits)
			if err := t.launch(a, sorted); err != nil {
				return err
			}
		}
		a.Slot += a.Transits
		a.Transits *= a.Fanout
	}
	return nil
}

// transits returns the largest number of transits of a row in one launch.
func (t *treeRun) transits(fanout int) int {
	return int(max(1, t.run.LaunchSteps()/(int64(t.rows)*int64(fanout))))
}

// launch makes the picks of a range of transits, in sample order or sorted by vertex.
func (t *treeRun) launch(a kernels.Tree, sorted bool) (err error) {
	r, s := t.run, t.step(int(a.Fanout))
	if err := r.Launcher.Admit(r.Job); err != nil {
		return err
	}
	if sorted {
		err = t.launchSorted(a, s)
	} else {
		t.divide(&a, s)
		err = t.picks(&a, s)
	}
	if err != nil {
		return err
	}
	return r.Launcher.Launched()
}

// picks starts the kernels of a launch that make picks.
func (t *treeRun) picks(a *kernels.Tree, s treeStep) error {
	blocks := int(a.Units)
	if t.parts != nil { // most units of a list belong to other parts
		blocks = min(blocks, 2*blocks/t.parts.Count()+t.run.Device.Multiprocessors*plan.RestBlocks)
	}
	if s.long {
		blocks = t.long.fill(a)
	}
	if err := t.start(s.kernel, blocks, s.picks, a); err != nil || s.rest == "" {
		return err
	}
	rest := launch.Kernel{Name: s.rest}
	most := t.run.Device.Multiprocessors * plan.RestBlocks * plan.GPUBlock / kernels.ChoiceThreads
	return t.start(rest, min(int(a.Units), most), int(a.Fanout), a)
}

// start starts a kernel with that many elements of shared memory per block.
func (t *treeRun) start(k launch.Kernel, blocks, picks int, a *kernels.Tree) error {
	return t.run.Launcher.Start(k, cuda.Grid{Blocks: blocks, Shared: 4 * picks}, a)
}

// step returns the kernel for a fan-out.
func (t *treeRun) step(fanout int) treeStep {
	k := t.run.Kernel
	layout := k.Name[strings.LastIndexByte(k.Name, '_'):]
	s := treeStep{kernel: launch.Kernel{Name: k.Name}, workers: kernels.TreeThreads}
	switch {
	case t.replace:
		return s
	case fanout >= t.maxDegree && !t.weighted():
		s.kernel.Name = "tree_all" + layout
		return s
	}
	if fanout >= t.maxDegree {
		s.kernel.Name, s.workers = "tree_biased"+layout, kernels.ChoiceThreads/kernels.WarpSize
		return s
	}
	if t.isLong(fanout) {
		s.kernel.Name, s.workers, s.long = strings.Replace(t.selector(), "tree", "tree_long", 1)+layout, 1, true
		return s
	}
	// The smallest group whose share of the shared memory has space for the picks.
	group := 1
	for _, g := range []int{8, kernels.WarpSize, kernels.ChoiceThreads} {
		if fanout*kernels.ChoiceThreads/group > plan.TreePicks {
			group = g
		}
	}
	s.workers = kernels.ChoiceThreads / group
	s.picks = fanout * s.workers
	if group == 1 && t.weighted() {
		s.picks *= 2 // with their end points
	}
	s.kernel.Name = fmt.Sprint(t.selector(), "_", group, layout)
	if s.few = !t.weighted() && slices.Contains(kernels.FewFanouts, fanout); s.few {
		s.kernel.Name = fmt.Sprint(t.selector(), "_few", fanout, layout)
	}
	if t.weighted() && group < kernels.ChoiceThreads {
		s.rest = fmt.Sprint("tree_postponed_", group, layout)
	}
	return s
}

// divide divides the work of a launch among units, each for a block. If there are few transits, several threads share the
// picks of one, unless a group of threads chooses them.
func (t *treeRun) divide(a *kernels.Tree, s treeStep) {
	rows, transits := int(a.B.Rows-a.B.From), int(a.End-a.Begin)
	share := int(a.Fanout)
	if s.workers == kernels.TreeThreads {
		pieces := min(share, max(1, t.run.LaunchRows()/(rows*transits)))
		share = (share + pieces - 1) / pieces
	}
	pieces := (int(a.Fanout) + share - 1) / share
	// A block has few rows, and all transits of them if possible. With fewer transits it has more rows.
	all := transits * pieces
	across := max(min(bits.Len(plan.TreeRows)-1, bits.Len(uint(s.workers))-1), bits.Len(uint(s.workers/all))-1)
	across = min(across, bits.Len(uint(rows-1)))
	columns := (rows + 1<<across - 1) >> across
	down := s.workers >> across
	downs := (all + down - 1) / down
	a.Pieces, a.Share, a.Across = uint64(pieces), uint64(share), uint64(across)
	a.Units = uint64(columns * downs)
}

// allocate allocates the memory of transit order and of long choices, and the marks of postponed choices for the largest launch
// of either order. A launch of fewer rows has no more units.
func (t *treeRun) allocate() (err error) {
	if err := t.allocateOrder(); err != nil {
		return err
	}
	units, longest, transits := uint64(0), 0, t.run.Batch.Roots.Width
	for i, f := range t.fanouts {
		s := t.step(f)
		if s.rest != "" {
			a := kernels.Tree{Fanout: uint64(f), End: uint64(min(transits, t.transits(f)))}
			a.B.Rows = uint64(t.rows)
			t.divide(&a, s)
			if t.sorted(i, transits) {
				a.Units = uint64((t.numbers(t.rows, t.sortedRows(transits, f), f) + int64(s.workers) - 1) / int64(s.workers))
			}
			units = max(units, a.Units)
		}
		if s.long {
			longest = max(longest, f)
		}
		transits *= f
	}
	if units > 0 {
		t.postponed, err = t.run.Take(int64(units) * kernels.ChoiceThreads / 8)
	}
	return launch.First(err, t.long.allocate(t, longest))
}

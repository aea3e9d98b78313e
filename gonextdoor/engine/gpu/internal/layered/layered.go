package layered

import (
	"math"
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/parts"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// layeredRun makes layered samples in rounds. The first round has all rows. A further round has the rows whose samples did
// not fit the memory of the round before, and more memory. A round ends when the host has read the counters.
type layeredRun struct {
	*launch.Run
	spec     *layeredSpec
	most     int64        // the largest number of vertices of a sample
	expected app.Expected // of a sample
	args     kernels.Layered
	counters *[kernels.LayeredCounters]uint64 // in pinned host memory, of the round before
	lists    [2]uint64                        // of rows that are left: the one that is read, and the one that is written
	work     launch.Scratch                   // the workspaces
	groups   int64                            // the number of workspaces
	rowsRead *parts.GatheredRows              // the rows of the graph in GPU memory; nil: all
	// gridBlocks is the number of blocks that make each sample together; 0: a block or a warp makes a sample.
	gridBlocks int
	done       int    // rows that are complete
	words      uint64 // about the words of the arenas that complete samples take
}

// samples makes layered samples. It waits for all of them, and returns before they are in the arrays of the result.
func (s *layeredSpec) samples(r *launch.Run) (*launch.Result, error) {
	l := &layeredRun{Run: r, spec: s, work: launch.Scratch{Device: r.Device, Stream: r.Stream}}
	roots := r.Batch.Roots.Width
	l.most, l.expected = mostVertices(l.spec.most+int64(roots)), app.Expect(r.Plan.App, roots, app.SizeOf(r.Graph))
	if l.spec.expected != nil {
		l.expected = l.spec.expected(l.expected, roots)
	}
	if err := launch.First(l.chooseGrid(), l.prepare()); err != nil {
		return nil, err
	}
	if l.gridBlocks > 0 { // which make surplus draws
		l.most = mostVertices(l.most + l.groupThreads())
	}
	if err := launch.First(l.makeAll(), l.work.Free()); err != nil {
		return nil, err
	}
	if !l.direct() {
		if err := l.place(); err != nil {
			return nil, err
		}
	}
	return r.Finished()
}

// direct reports whether the kernel writes the samples to the result, since they have one width.
func (l *layeredRun) direct() bool { return l.Plan.Width > 0 }

// prepare allocates the arrays with an element per row, and the counters.
func (l *layeredRun) prepare() (err error) {
	a, rows := &l.args, int64(max(1, l.Rows))
	a.G, a.B = l.Run.Args.G, l.Run.Args.B
	if l.Batch.Edges {
		a.Edges = 1
	}
	a.SearchRatio = plan.LayeredSearch
	if t := l.Engine.Tuning.LayeredSearch; t > 0 {
		a.SearchRatio = uint64(t)
	}
	if l.spec.values {
		a.Values = 1
	}
	err = l.TakeAll(
		launch.Array(&l.lists[0], 4*rows), launch.Array(&l.lists[1], 4*rows), launch.Zeros(&a.Counters, 8*kernels.LayeredCounters),
	)
	if err == nil && !l.direct() {
		err = l.TakeAll(
			launch.Array(&a.Staged, 8*rows), launch.Array(&a.VertexCounts, 4*rows),
			launch.Array(&a.EndCounts, 4*rows), launch.Array(&a.LinkCounts, 4*rows),
		)
	}
	if err != nil {
		return err
	}
	if l.Pinned, err = l.Device.Pin(8 * kernels.LayeredCounters); err != nil {
		return err
	}
	l.counters = (*[kernels.LayeredCounters]uint64)(l.Pinned.Pointer)
	*l.counters = [kernels.LayeredCounters]uint64{}
	if l.spec.fill != nil {
		return l.spec.fill(l.Run, a)
	}
	return nil
}

// makeAll makes the samples.
func (l *layeredRun) makeAll() (err error) {
	if !l.Gathering {
		return l.rounds()
	}
	l.rowsRead, err = parts.NewGatheredRows(l.Run, &l.args.G)
	if err == nil {
		l.args.EdgeSums = uint64(l.rowsRead.To[parts.GatherSums])
		err = l.rounds()
	}
	return launch.First(err, l.rowsRead.End())
}

// rounds makes the samples in rounds.
func (l *layeredRun) rounds() error {
	capacity, needed := l.firstCapacity(), uint64(0)
	for rows, list := l.Rows, uint64(0); rows > 0; {
		// 1. Allocate the workspaces and an arena, unless those of the round before suffice.
		if l.work.Held == nil {
			if err := l.allocateWorkspaces(capacity, rows); err != nil {
				return err
			}
		}
		if l.args.Arena == 0 && !l.direct() {
			if err := l.allocateArena(rows, needed); err != nil {
				return err
			}
		}
		// 2. Make the samples.
		l.args.Left = l.lists[1]
		if l.rowsRead != nil {
			l.args.Ahead = launch.Flag(l.rowsRead.Ahead)
		}
		if err := l.launchRows(rows, list); err != nil {
			return err
		}
		left := int(l.counters[kernels.LayeredLeft])
		l.done += rows - left
		l.Job.Add(int64(rows - left))
		// 3. Provide for the rows that are left.
		if l.counters[kernels.LayeredCramped] > 0 {
			if capacity >= l.most {
				return refuse.Device("GPU: a sample of %s has more than %d vertices or candidates; use device=\"cpu\"", l.Plan.App.Name(), l.most)
			}
			capacity = min(l.most, 4*capacity)
			if err := l.work.Free(); err != nil {
				return err
			}
		}
		if needed = ^l.counters[kernels.LayeredNeeded]; needed > 0 {
			if needed == math.MaxUint64 {
				return refuse.Device("GPU: a sample of %s has 2^32 links, or candidates of a step, or more; use device=\"cpu\"", l.Plan.App.Name())
			}
			l.args.Arena = 0 // the samples in the present one stay there
		}
		rows, list = left, l.lists[1]
		l.lists[0], l.lists[1] = l.lists[1], l.lists[0]
		if l.rowsRead != nil {
			var err error
			if rows, list, err = l.rowsRead.Next(uintptr(l.args.G.Wanted), rows, list, l.lists[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// firstCapacity returns the number of vertices for which a workspace of the first round has memory.
func (l *layeredRun) firstCapacity() int64 {
	if t := l.Engine.Tuning.LayeredCapacity; t > 0 {
		return min(l.most, int64(max(t, l.Batch.Roots.Width)))
	}
	n := min(2*l.expected.Vertices, plan.LayeredFirst) // the number may be infinite
	if l.spec.drawn != nil {
		n = max(n, l.spec.drawn(l.Batch.Roots.Width))
	}
	n += plan.LayeredSpare
	if l.gridBlocks > 0 {
		n += float64(l.groupThreads())
	}
	if l.direct() {
		n = float64(l.Plan.Width)
	}
	n = min(float64(l.most), max(n, float64(l.spec.candidates)))
	return min(l.most, int64(n)+int64(l.Batch.Roots.Width))
}

// arrays returns the arrays of workspaces that have an element per vertex, with the bytes of an element.
func (l *layeredRun) arrays() []launch.Buffer {
	a := &l.args
	arrays := []launch.Buffer{launch.Array(&a.Vertices, 4), launch.Array(&a.Positions, 8), launch.Array(&a.Parents, 4), launch.Array(&a.Slots, 4)}
	if l.spec.draws {
		arrays = append(arrays, launch.Array(&a.Drawn, 8), launch.Array(&a.Picks, 8), launch.Array(&a.Before, 4),
			launch.Array(&a.Attached, 4), launch.Array(&a.Trees, 4))
	}
	if l.spec.steps {
		arrays = append(arrays, launch.Array(&a.Starts, 16))
	}
	if l.spec.values {
		arrays = append(arrays, launch.Array(&a.Factors, 8))
	}
	return arrays
}

// allocateWorkspaces allocates the workspaces of the groups that make some rows.
func (l *layeredRun) allocateWorkspaces(capacity int64, rows int) error {
	a := &l.args
	// 1. Compute the size of a workspace.
	table := int64(1) << bits.Len64(uint64(2*(capacity+max(kernels.LayeredThreads, l.groupThreads()))-1)) // at most half of it is in use
	ends := capacity + 1
	if l.spec.maxEnds > 0 {
		ends = min(ends+1, l.spec.maxEnds)
	}
	a.Leaves = uint64(l.leaves())
	sums := launch.LeafSumWords(int64(a.Leaves))
	arrays := l.arrays()
	each := ends*4 + table*8 + sums*8 + capacity*l.spec.more
	for _, b := range arrays {
		each += b.Bytes * capacity
	}
	a.Capacity, a.EndCapacity, a.TableMask = uint64(capacity), uint64(ends), uint64(table-1)
	// 2. Choose the number of groups.
	var err error
	if l.groups, err = l.countGroups(rows, each); err != nil {
		return err
	}
	// 3. Allocate.
	n := l.groups * capacity
	buffers := append(l.gridMemory(), launch.Array(&a.Ends, 4*l.groups*ends), launch.Array(&a.Table, 8*l.groups*table))
	for _, b := range arrays {
		buffers = append(buffers, launch.Array(b.Address, b.Bytes*n))
	}
	if sums > 0 {
		buffers = append(buffers, launch.Array(&a.LeafSums, 8*l.groups*sums))
	}
	if l.rowsRead != nil {
		buffers = append(buffers, launch.Zeros(&a.G.Missed, 4*l.groups*int64(l.Kernel.Lanes)))
	}
	if l.Calls.Workspaces != nil {
		buffers = append(buffers, l.Calls.Workspaces(capacity, l.groups)...)
	}
	if err := l.work.TakeAll(buffers...); err != nil {
		return err
	}
	return l.Device.Fill32(uintptr(a.Table), math.MaxUint32, 2*l.groups*table, l.Stream)
}

// allocateArena allocates an arena for the samples of some rows, of which the largest needs that many words. Its size is
// that of the samples so far per row, or the expected size.
func (l *layeredRun) allocateArena(rows int, needed uint64) error {
	a := &l.args
	each := float64(l.Batch.Roots.Width) + l.expected.Vertices
	each = each*float64(1+a.Edges) + float64(2+a.Values)*l.spec.links + 2
	if l.done > 0 {
		each = float64(l.words) / float64(l.done)
	}
	words := plan.LayeredSlack*each*float64(rows) + plan.LayeredSpare
	if t := l.Engine.Tuning.LayeredArena; t > 0 {
		words = float64(t)
	}
	words = min(max(words, plan.LayeredNeeds*float64(needed)), float64(l.Device.Total/8/plan.LayeredShare))
	a.ArenaWords = max(uint64(words), needed)
	if a.ArenaWords > math.MaxInt64/8 {
		return refuse.Device("GPU: a sample of %s takes 2^63 bytes or more", l.Plan.App.Name())
	}
	if err := l.TakeAll(launch.Array(&a.Arena, int64(8*a.ArenaWords))); err != nil {
		return err
	}
	l.counters[kernels.LayeredUsed] = 0
	return l.Device.Fill32(uintptr(a.Counters)+8*kernels.LayeredUsed, 0, 2, l.Stream)
}

// launchRows makes the samples of a round, in launches of about plan.LaunchSteps operations, and reads the counters.
func (l *layeredRun) launchRows(rows int, list uint64) error {
	used := min(l.counters[kernels.LayeredUsed], l.args.ArenaWords)
	at := uintptr(l.args.Counters)
	err := launch.First(
		l.Device.Fill32(at+8*kernels.LayeredLeft, 0, 2*(kernels.LayeredNeeded-kernels.LayeredLeft), l.Stream), l.Device.Fill32(at+8*kernels.LayeredNeeded, math.MaxUint32, 2, l.Stream),
	)
	if err != nil {
		return err
	}
	each := rows
	if n := float64(l.LaunchSteps()) / max(1, l.expected.Operations); n < float64(rows) {
		each = min(rows, max(int(n), int(l.groups), l.Engine.Tuning.LaunchRows))
	}
	l.Launcher.Limited = each < rows
	for lo := 0; lo < rows; lo += each {
		a := l.args
		a.B.Alive, a.B.From, a.B.Rows = list, uint64(lo), uint64(min(lo+each, rows))
		err := launch.First(l.Launcher.Admit(l.Job), l.Device.Fill32(at+8*kernels.LayeredTaken, 0, 2, l.Stream))
		if err == nil {
			argument := any(&a)
			if l.Calls.Argument != nil {
				argument = l.Calls.Argument(&a)
			}
			err = l.start(argument)
		}
		if err = launch.First(err, l.Launcher.Launched()); err != nil {
			return err
		}
	}
	err = launch.First(l.Device.CopyOut(unsafe.Pointer(l.counters), at, 8*kernels.LayeredCounters, l.Stream), l.Stream.Synchronize())
	l.words += min(l.counters[kernels.LayeredUsed], l.args.ArenaWords) - used // about, if a block did not fit
	return err
}

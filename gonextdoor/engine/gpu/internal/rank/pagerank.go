// Package rank computes personalised PageRank scores on one GPU by counting the visits of walks.
package rank

import (
	"errors"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/kernels"
)

// Scores is gpu.Engine.Scores.
func Scores(e launch.Engine, s plan.Scores, j *job.Job) (output.Scores, error) {
	if s.App.Stop < plan.RankLeastStop {
		return output.Scores{}, refuse.Device("device: personalized_pagerank with stop = %v below %v, whose walks are long, does not "+
			"run on a GPU; use device=\"cpu\"", s.App.Stop, plan.RankLeastStop)
	}
	each := rowsAtATime(e, s)
	slots := slotsOf(e, s)
	var parts []output.Scores
	returned := func(err error) (output.Scores, error) {
		for _, part := range parts {
			part.Return()
		}
		return output.Scores{}, err
	}
	for lo := 0; lo < s.From.Rows; {
		hi := min(s.From.Rows, lo+each)
		part, full, err := rankPiece(e, s, lo, hi, slots, j)
		switch {
		case errors.Is(err, cuda.ErrMemory) && each > 1:
			each = (hi - lo + 1) / 2
			continue
		case err != nil:
			return returned(err)
		case full:
			slots *= 2
			continue
		}
		parts = append(parts, part)
		j.Add(int64(hi - lo))
		lo = hi
	}
	return output.JoinScores(parts)
}

// slotsOf returns the slots of a row's table, a power of two: at least 1.25 times the largest expected number of entries.
func slotsOf(e launch.Engine, s plan.Scores) uint64 {
	if t := e.Tuning.RankSlots; t > 0 {
		return uint64(t)
	}
	most := int64(1)
	for _, n := range s.Walks {
		most = max(most, n)
	}
	entries := min(float64(s.Graph.NumVertices()), 1.1*float64(most)/s.App.Stop)
	slots := uint64(1 << 6)
	for float64(slots) < 1.25*entries {
		slots *= 2
	}
	return slots
}

// rowsAtATime returns how many rows are processed at a time.
func rowsAtATime(e launch.Engine, s plan.Scores) int {
	if t := e.Tuning.RankRows; t > 0 {
		return t
	}
	return int(max(1, plan.RankSlots/slotsOf(e, s)))
}

// ranking is the run of one range of rows. It is used within Device.Do, by one thread.
type ranking struct {
	*launch.Run
	plan.Scores
	lo, hi int
	args   kernels.PageRank
	parts  []uint32
	sizes  []uint32
	from   []uint64
	report []uint64 // the number of entries, and whether a table was full
}

// rankPiece counts the rows [lo, hi). full reports that a row has more entries than its table has slots.
func rankPiece(e launch.Engine, s plan.Scores, lo, hi int, slots uint64, j *job.Job) (part output.Scores, full bool, err error) {
	err = e.Device.Do(func() error {
		r := launch.NewRun(e, launch.Spec{}, plan.Plan{}, s.Graph, plan.Batch{Threads: s.Threads}, 0, j)
		k := &ranking{Run: r, Scores: s, lo: lo, hi: hi}
		err := k.prepare(slots)
		if err == nil {
			err = k.launches()
		}
		if err == nil {
			err = k.readReport()
		}
		if err == nil {
			if full = k.report[1] != 0; !full {
				part, err = k.entries()
			}
		}
		return r.FreeScratch(err)
	})
	if err != nil {
		part.Return()
		part = output.Scores{}
	}
	return part, full, err
}

// prepare uploads the input of the kernels and allocates their output.
func (k *ranking) prepare(slots uint64) (err error) {
	if err := k.ChooseStream(); err != nil {
		return err
	}
	name, layout := "pagerank_uniform", resident.Rows
	if k.App.Weighted == app.Yes {
		name, layout = "pagerank_alias", resident.Alias
	}
	k.Spec.Variants = []launch.Variant{
		{Layout: resident.Packed | layout, Kernel: launch.Kernel{Name: name + "_packed"}},
		{Layout: resident.Rows | layout, Kernel: launch.Kernel{Name: name + "_plain"}},
	}
	if err := k.ChooseVariant(); err != nil {
		return err
	}
	rows := k.hi - k.lo
	k.args = kernels.PageRank{
		G: k.Run.Args.G, Rows: uint64(rows), Stream: uint64(rng.NewStream(k.Seed, rng.Scores)), First: k.First + uint64(k.lo),
		Threshold: k.App.Threshold(), Slots: slots,
	}
	if k.App.Sinks == app.SinkRestarts {
		k.args.Restarts = 1
	}
	k.parts = make([]uint32, rows+1)
	for i, n := range k.Walks[k.lo:k.hi] {
		k.parts[i+1] = k.parts[i] + uint32((n+kernels.RankPart-1)/kernels.RankPart)
	}
	return launch.First(
		k.seeds(), launch.Put(&k.Scratch, &k.args.Walks, k.Walks[k.lo:k.hi]), launch.Put(&k.Scratch, &k.args.Parts, k.parts), k.allocate(slots),
	)
}

// seeds uploads the vertices at which the walks of these rows begin.
func (k *ranking) seeds() error {
	p := k.From
	if p.Sets == nil {
		return launch.Put(&k.Scratch, &k.args.SeedNodes, p.Vertices[k.lo:k.hi])
	}
	rows := p.Sets.Indptr[k.lo : k.hi+1]
	lo, hi := rows[0], rows[len(rows)-1]
	members, at := make([]uint32, hi-lo), make([]uint64, len(rows))
	for i, place := range p.Sets.Indices[lo:hi] {
		members[i] = p.Vertices[place]
	}
	for i, first := range rows {
		at[i] = first - lo
	}
	err := launch.First(launch.Put(&k.Scratch, &k.args.SeedNodes, members), launch.Put(&k.Scratch, &k.args.SetRows, at))
	if err == nil && p.Weighted == app.Yes {
		err = launch.Put[index.AliasSlot](&k.Scratch, &k.args.SetAlias, index.AliasOf(p.Sets)[lo:hi])
	}
	return err
}

// allocate allocates the tables, which begin empty, and the arrays of the entries.
func (k *ranking) allocate(slots uint64) error {
	a, rows := &k.args, int64(k.hi-k.lo)
	entries := rows * int64(slots)
	err := k.TakeAll(
		launch.Zeros(&a.Table, 16*entries), launch.Zeros(&a.Found, 16), launch.Array(&a.From, 8*rows),
		launch.Array(&a.Sizes, 4*rows), launch.Array(&a.Vertices, 4*entries), launch.Array(&a.Visits, 4*entries),
		launch.Array(&a.Visitors, 4*entries),
	)
	a.Full = a.Found + 8
	return err
}

// launches walks all parts, in launches of about plan.LaunchSteps steps, and gathers the entries.
func (k *ranking) launches() error {
	parts := uint64(k.parts[len(k.parts)-1])
	each := uint64(max(1, float64(k.LaunchSteps())*k.App.Stop/kernels.RankPart))
	for begin := uint64(0); begin < parts; begin += each {
		// The host waits after each launch, so that a stopped job ends the call soon.
		if err := k.Job.Err(); err != nil {
			return err
		}
		k.args.Begin, k.args.End = begin, min(parts, begin+each)
		if err := k.blocks(k.Kernel, k.args.End-begin); err != nil {
			return err
		}
		if k.args.End < parts {
			if err := k.Stream.Synchronize(); err != nil {
				return err
			}
		}
	}
	return k.blocks(launch.Kernel{Name: "pagerank_gather"}, k.args.Rows)
}

// blocks starts a kernel with n blocks.
func (k *ranking) blocks(which launch.Kernel, n uint64) error {
	if n == 0 {
		return nil
	}
	return k.Launcher.Start(which, cuda.Grid{Blocks: int(min(n, 1<<30))}, &k.args)
}

// readReport copies the number of entries of each row and their positions to the host, and waits.
func (k *ranking) readReport() error {
	rows := k.hi - k.lo
	k.sizes, k.from, k.report = make([]uint32, rows), make([]uint64, rows), make([]uint64, 2)
	return launch.First(
		launch.Fetch(&k.Scratch, k.args.Sizes, k.sizes), launch.Fetch(&k.Scratch, k.args.From, k.from),
		launch.Fetch(&k.Scratch, k.args.Found, k.report),
		k.Stream.Synchronize(),
	)
}

// entries copies the entries to the host and sorts those of each row.
func (k *ranking) entries() (output.Scores, error) {
	// 1. Copy the entries, rows in any order.
	unsorted, err := k.fetched()
	defer unsorted.Return()
	if err != nil {
		return output.Scores{}, err
	}
	// 2. Add up the sizes of the rows.
	rows, all := k.hi-k.lo, 0
	for _, n := range k.sizes {
		if k.TopK > 0 {
			n = min(n, uint32(min(k.TopK, 1<<31)))
		}
		all += int(n)
	}
	s, err := output.LendScores(rows, all)
	if err != nil {
		return s, err
	}
	s.Offsets[0] = 0
	for i, n := range k.sizes {
		if k.TopK > 0 {
			n = min(n, uint32(min(k.TopK, 1<<31)))
		}
		s.Offsets[i+1] = s.Offsets[i] + int64(n)
	}
	// 3. Sort each row into its place.
	scratch := make([][2][]uint64, parallel.Workers(k.Threads, rows, 1))
	err = parallel.ForWorker(k.Job, k.Threads, rows, 1, func(worker, lo, hi int) error {
		for row := lo; row < hi; row++ {
			k.sortRow(&s, unsorted, row, &scratch[worker])
		}
		return nil
	})
	return s, err
}

// sortRow writes the entries of a row to s: sorted by vertex, or only the TopK best, by score.
func (k *ranking) sortRow(s *output.Scores, unsorted output.Scores, row int, scratch *[2][]uint64) {
	from, n := int(k.from[row]), int(k.sizes[row])
	vertices, visits, walks := unsorted.Vertices[from:from+n], unsorted.Visits[from:from+n], unsorted.Walks[from:from+n]
	total, words := int64(0), scratch[0][:0]
	for _, t := range visits {
		total += int64(t)
	}
	s.Total[row] = total
	if k.TopK > 0 {
		best := output.Best{Most: k.TopK}
		for i, v := range vertices {
			score := uint64(visits[i])
			if k.App.Sinks == app.SinkStops {
				score *= k.App.Unit(k.Scores.Graph, v)
			}
			if score >= best.Least() {
				best.Offer(output.Scored{Score: score, Vertex: v, Place: uint32(i)})
			}
		}
		for _, one := range best.Sorted() {
			words = append(words, uint64(one.Place))
		}
		scratch[0] = words
	} else {
		for i, v := range vertices {
			words = append(words, uint64(v)<<32|uint64(i))
		}
		scratch[0], scratch[1] = output.SortByVertex(words, scratch[1], k.Scores.Graph.NumVertices())
	}
	at := int(s.Offsets[row])
	for i, word := range scratch[0] {
		place := uint32(word)
		s.Vertices[at+i], s.Visits[at+i], s.Walks[at+i] = vertices[place], visits[place], walks[place]
	}
}

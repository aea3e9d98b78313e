package walk

import (
	"errors"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// negativesAtHops draws vertices at a number of hops (kernels/driver/negativehops.cuh), a block per root.
func negativesAtHops(spec launch.Spec, hops int, ends uint64) launch.Spec {
	spec.Variants = []launch.Variant{
		{Layout: resident.Packed, Kernel: launch.Kernel{Name: "negativehops_packed"}},
		{Layout: resident.Rows, Kernel: launch.Kernel{Name: "negativehops_plain"}},
	}
	spec.Calls = func() launch.Callbacks {
		return launch.Callbacks{Samples: func(r *launch.Run) error {
			b := r.Args.B
			if b.Rows == 0 {
				return nil
			}
			a := kernels.Negatives{G: r.Args.G, B: b, T: r.Args.T, Hops: uint64(hops), Ends: ends, Each: b.Repeat}
			blocks, err := hopSearches(r, &a)
			// Successive launches use the same memory: each search clears what the last one has left.
			r.Launcher.Limited = true
			for lo := b.From; lo < b.Rows && err == nil; lo = a.B.Rows {
				a.B.From, a.B.Rows = lo, min(b.Rows, lo+a.Each*max(uint64(blocks), plan.HopLaunch/a.Each))
				err = launch.First(r.Launcher.Admit(r.Job), r.Launcher.Start(r.Kernel, cuda.Grid{Blocks: blocks}, &a), r.Launcher.Launched())
			}
			return err
		}}
	}
	return spec
}

// hopSearches allocates the memory of a search for as many blocks as the GPU runs at once, or as plan.HopMemory and the free
// memory permit, and returns the number of blocks.
func hopSearches(r *launch.Run, a *kernels.Negatives) (blocks int, err error) {
	f, err := r.Launcher.Function(r.Kernel)
	if err != nil {
		return 0, err
	}
	if blocks, err = f.Blocks(f.Block(), 0); err != nil {
		return 0, err
	}
	const chunk = 32 * kernels.ChunkWords
	chunks := (int64(a.G.Vertices) + chunk - 1) / chunk
	each := 4 * (3*kernels.ChunkWords*chunks + (chunks+31)/32)
	groups := (a.B.Rows - a.B.From + a.Each - 1) / a.Each
	blocks = max(1, min(blocks, int(plan.HopMemory/each), int(groups)))
	for {
		err = r.TakeAll(launch.Zeros(&a.Searches, int64(blocks)*each))
		if blocks == 1 || !errors.Is(err, cuda.ErrMemory) {
			return blocks, err
		}
		blocks = (blocks + 1) / 2
	}
}

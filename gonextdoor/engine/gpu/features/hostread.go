package features

import (
	"errors"
	"math/bits"

	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// readHost submits the kernels that read missed rows from host memory, as many as the share of each read. They begin once the rows
// have been found. The CPU does not wait for them, and need not know how many rows were missed.
func (b *batch) readHost() error {
	l := b.link
	for _, r := range b.reads {
		if r.args.Listed == 0 || r.ids.Count == 0 {
			continue
		}
		var err error
		if r.kernel.begun, err = l.device.NewEvent(); err != nil {
			return err
		}
		if r.kernel.ended, err = l.device.NewEvent(); err != nil {
			return err
		}
		if err := errors.Join(l.host.Wait(b.found), r.kernel.begun.Record(l.host)); err != nil {
			return err
		}
		a := kernels.FeatureWrite{
			Rows: address(r.store.pinned), From: r.args.Listed, To: r.args.MissedAt, Out: r.args.Out, Vector: r.args.Vector,
			Count: r.args.Count, Limit: r.args.Report, Share: uint64(r.share),
		}
		if err := errors.Join(r.store.launchHost(a, r.ordered), r.kernel.ended.Record(l.host)); err != nil {
			return err
		}
	}
	return nil
}

// orderBytes returns the GPU memory that launchHost needs to order the rows of a list.
func orderBytes(rows int) int64 { return 2*4*kernels.FeatureBuckets + 2*4*int64(rows) + 32 }

// launchHost starts the kernels that read a list of rows from host memory, in the order of their places there. memory is
// orderBytes of GPU memory. The kernel that reads has few blocks: some hundred warps keep the link busy.
func (s *Store) launchHost(a kernels.FeatureWrite, memory uintptr) error {
	l, free := s.link, arena{base: memory}
	// 1. Order the rows.
	o := kernels.FeatureOrder{
		From: a.From, To: a.To, Count: a.Count, Limit: a.Limit, Share: a.Share, Shift: uint64(s.bucketShift()),
		Counts: uint64(free.take(4 * kernels.FeatureBuckets)), Placed: uint64(free.take(4 * kernels.FeatureBuckets)),
		Ordered: uint64(free.take(4 * int64(a.Count))), OrderedTo: uint64(free.take(4 * int64(a.Count))),
	}
	if err := l.device.Fill32(uintptr(o.Counts), 0, 2*kernels.FeatureBuckets, l.host); err != nil {
		return err
	}
	blocks := min(plan.FeatureHostBlocks, l.each(int(a.Count)))
	for _, name := range []string{"features_count", "features_order"} {
		if err := l.launch(name, blocks, &o, l.host); err != nil {
			return err
		}
	}
	// 2. Read them.
	a.From, a.To = o.Ordered, o.OrderedTo
	a.Host, a.RowBytes, a.Tile = 1, uint64(s.rowBytes), s.hostTile(int(a.Vector))
	return l.launch("features_write", min(plan.FeatureHostBlocks, l.warps((a.Count+a.Tile-1)/a.Tile)), &a, l.host)
}

// bucketShift returns the shift by which ids of rows become numbers of buckets.
func (s *Store) bucketShift() int {
	return max(0, bits.Len(uint(s.rows-1))-bits.Len(kernels.FeatureBuckets-1))
}

// hostTile returns how many rows a warp reads from host memory at a time: as many as its lanes read at once.
func (s *Store) hostTile(vector int) uint64 {
	if s.options.Tile > 0 {
		return uint64(s.options.Tile)
	}
	tile := 32
	for tile > 1 && tile*(s.rowBytes/vector) > plan.FeatureHostVectors {
		tile /= 2
	}
	return uint64(tile)
}

// awaitKernel lets the stream of rows wait for the kernel that reads missed rows of a read.
func (r *read) awaitKernel() error {
	if r.kernel == (timed{}) {
		return nil
	}
	return r.store.link.rows.Wait(r.kernel.ended)
}

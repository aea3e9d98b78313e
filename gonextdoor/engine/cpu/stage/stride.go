package stage

import "gonextdoor/gonextdoor/plan"

// StepAll moves n walkers by one step, without recording edges, and returns the number of walkers that continue. vertices are
// those of the batch. It is
//
//	for each group of the batch {
//		Draw(w, group, c, term)
//		k := Stop(w, group, c)
//		c.Skip(group, k)
//	}
//
// and prefetches the records of the walkers that continue. They overwrite the others: c.KeptX must equal c.X.
func (t *Tables) StepAll(w *Walkers, c *WalkerBatch, vertices []uint32, n int, term uint64) (kept int) {
	if t.avx512 && t.Records != nil && t.Slots == nil && t.segments.sums == nil {
		return strideAVX512(t, w, n, c, term)
	}
	t.Prefetch(vertices[:min(n, plan.Group)])
	for lo := 0; lo < n; lo += plan.Group {
		m := min(plan.Group, n-lo)
		t.Draw(w, m, c, term)
		t.Prefetch(vertices[lo+m : min(lo+m+plan.Group, n)])
		k := t.Stop(w, m, c)
		c.Skip(m, k)
		kept += k
	}
	return kept
}

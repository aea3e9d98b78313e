package stage

// CanStride says whether Stride serves these tables.
func (t *Tables) CanStride() bool { return t.wide && t.Slots == nil }

// Stride is a whole step of n walkers, any number. It is
//
//	for each group of the crowd {
//		Draw(w, group, c, term)
//		k := Stop(w, group, c)
//		c.Skip(group, k)
//	}
//
// and prefetches the records of those that walk on. The walkers kept must be written over the others: c.KeptX is
// c.X.
func (t *Tables) Stride(w *Walkers, n int, c *Crowd, term uint64) (kept int) {
	return strideWide(t, w, n, c, term)
}

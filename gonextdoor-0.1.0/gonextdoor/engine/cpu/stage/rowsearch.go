package stage

// SearchBlock is the number of searches that advance in lockstep.
const SearchBlock = 32

// RowSearches are binary searches in sorted rows, as a structure of arrays: search i is among the left[i] end points from position
// low[i] on, at least one.
type RowSearches struct {
	Low    []uint64
	Left   []uint32
	Target []uint32
}

// Add adds a search.
func (s *RowSearches) Add(low uint64, left, target uint32) {
	s.Low, s.Left, s.Target = append(s.Low, low), append(s.Left, left), append(s.Target, target)
}

// Clear removes all searches.
func (s *RowSearches) Clear() { s.Low, s.Left, s.Target = s.Low[:0], s.Left[:0], s.Target[:0] }

// Search completes the searches: Low[i] becomes the last position whose end point is at most Target[i], or remains if there is none.
// They advance in lockstep, so that their cache misses overlap, and no branch depends on the end points.
func (s *RowSearches) Search(indices []uint32) {
	n := len(s.Low)
	if !hasAVX512 || n < SearchBlock/4 {
		s.search(indices)
		return
	}
	for len(s.Low)%SearchBlock > 0 {
		s.Add(s.Low[0], 1, 0)
	}
	searchRowsAVX512(&indices[0], &s.Low[0], &s.Left[0], &s.Target[0], len(s.Low))
	s.Low, s.Left, s.Target = s.Low[:n], s.Left[:n], s.Target[:n]
}

// search is Search in Go. It changes Left.
func (s *RowSearches) search(indices []uint32) {
	for from := 0; from < len(s.Low); from += SearchBlock {
		to := min(from+SearchBlock, len(s.Low))
		low, left, target := s.Low[from:to], s.Left[from:to], s.Target[from:to]
		longest := uint32(0)
		for _, n := range left {
			longest = max(longest, n)
		}
		for ; longest > 1; longest -= longest / 2 {
			for i := range low {
				half := left[i] / 2 // 0 if the search is complete: then nothing changes
				var skipped uint32
				if indices[low[i]+uint64(half)] <= target[i] {
					skipped = half
				}
				low[i] += uint64(skipped)
				left[i] -= half
			}
		}
	}
}

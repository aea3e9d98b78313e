package pybind

import "gonextdoor/gonextdoor/rng"

// DrawRoots writes count random vertices, uint32, of a graph with at least one, as the roots of samples with the ids
// first, first+repeat and so on: each is drawn by the word at slot 0 of its id in the seed's stream of roots.
func DrawRoots(handle int64, seed int64, first int64, repeat int64, out uintptr, count int64) (n int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	stream := rng.NewStream(uint64(seed), rng.Roots)
	for i, drawn := 0, view[uint32](out, count); i < len(drawn); i++ {
		v, _ := rng.Below(stream.Key(uint64(first)+uint64(i)*uint64(repeat)).Word(0), uint64(g.NumVertices()))
		drawn[i] = uint32(v)
	}
	return count, nil
}

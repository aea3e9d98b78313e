package mutant

// layeredKernelMutants has faults of the kernels of layered samples.
var layeredKernelMutants = []kernelMutant{
	{"vertices in the order in which threads insert them", published, "driver/vertexset.cuh",
		"if (there != FreeRecord) min_atomic(table + slot, record);", "", "RandomEdge Snowball"},
	{"vertices of the sample before are still in the set", likely, "driver/layered.cuh",
		"s.set.clear(s.slots, s.slot_count);", "", "RandomEdge Snowball RandomNode"},
	{"a repeat that Floyd's algorithm picks twice", likely, "selector/permutelist.cuh",
		"attached[i] == None ? drawn[i] : n - k + i", "drawn[i]", "RandomNode RandomEdge"},
	{"more new neighbours than the fan-out", likely, "driver/distinctdraws.cuh",
		"visit_end(s, open && upto <= k, edge)", "visit_end(s, open, edge)", "Snowball Layer"},
	{"transits numbered within the sample", likely, "app/breadthfirst.cuh",
		"derived_key(s.key, step, place - at)", "derived_key(s.key, step, place)", "Snowball ForestFire"},
	{"vertices of the step before are still in the set", likely, "app/collectivesteps.cuh",
		"s.set.clear(s.slots + end, s.slot_count - end);", "", "Layer"},
	{"the first candidate of a transit belongs to the one before", likely, "driver/neighborhood.cuh",
		"if (ends[middle] > i) high", "if (ends[middle] >= i) high", "Layer"},
	{"other edges to a picked vertex keep their biases", likely, "app/collectivesteps.cuh",
		"sums.remove(at, bias_of(same));", "if (at == i) sums.remove(at, bias_of(same));", "Layer"},
	{"transits keyed by their place in the frontier", likely, "driver/hopexpansion.cuh",
		"keys[i] = key_of(hop.stream, t);", "keys[i] = key_of(hop.stream, at + i);", "Neighbor"},
	{"the first vertices of a step are its frontier", likely, "app/batchhops.cuh",
		"transits < n ? a.trees + s.first : nullptr", "nullptr", "Neighbor"},
	{"hops share the words of the batch", likely, "app/batchhops.cuh",
		"Hop hop{word_of(s.key, i + 1)", "Hop hop{word_of(s.key, i)", "MVS"},
	{"scores ignored", likely, "app/batchhops.cuh",
		"a.score_alias ? draw_scored(s) : draw_numbers", "draw_numbers", "MVS"},
}

func init() { kernelMutants = append(kernelMutants, layeredKernelMutants...) }

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
}

func init() { kernelMutants = append(kernelMutants, layeredKernelMutants...) }

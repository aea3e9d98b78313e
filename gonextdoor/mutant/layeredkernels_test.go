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
		"derived_key(s.key, step, place - first)", "derived_key(s.key, step, place)", "Snowball ForestFire"},
	{"transits that chose the same end together", likely, "app/breadthfirst.cuh",
		"(mine.has && !fresh && !mine.whole)", "false", "Snowball ForestFire"},
	{"choices that the attempts do not complete", likely, "app/breadthfirst.cuh",
		"mine.complete && (mine.whole || picks >= k)", "mine.complete", "Snowball ForestFire"},
	{"choices that the ends of other transits complete", likely, "app/breadthfirst.cuh",
		"u32 votes = Warp::vote(open) >> begin & mask,", "u32 votes = Warp::vote(open) >> begin,", "Snowball ForestFire"},
	{"fires that go on end at the last thread", likely, "app/breadthfirst.cuh",
		"mine.complete = ends || row.degree <= lanes;", "", "ForestFire"},
	{"vertices of rejected choices stay in the set", likely, "app/breadthfirst.cuh",
		"s.withdraw(fresh, slot);", "", "Snowball ForestFire"},
	{"links of searched rows in the order of the sample", likely, "driver/inducedlinks.cuh",
		"sort_keys<G>(keys, s.count);", "", "RandomNode GraphSAINT ClusterGCN"},
	{"one link for parallel edges", likely, "driver/inducedlinks.cuh",
		"while (low + count < row.degree &&", "if (low < row.degree &&", "RandomNode GraphSAINT ClusterGCN"},
	{"links of searched rows for each place of a vertex", likely, "driver/inducedlinks.cuh",
		"(i == 0 || keys[i - 1] >> 32 != key >> 32)", "true", "RandomNode"},
	{"links of a thread overwrite those of others", likely, "driver/inducedlinks.cuh",
		"links += all >> u * SumBits & mask;", "if (u + 1 == LinksAhead) links += all & mask;", "RandomNode GraphSAINT ClusterGCN"},
	{"filter with the vertices of the sample before", likely, "driver/inducedlinks.cuh",
		"VertexFilter<G>::here().fill(s.vertices, s.count);", "if (s.row == 0) VertexFilter<G>::here().fill(s.vertices, s.count);", "RandomNode GraphSAINT ClusterGCN"},
}

func init() { kernelMutants = append(kernelMutants, layeredKernelMutants...) }

package mutant

// transitKernelMutants has faults of trees in transit order, and of choices of few picks.
var transitKernelMutants = []kernelMutant{
	{"transit order: transits numbered from the first of each launch", likely, "driver/transit.cuh",
		"(u32)a.begin + pair - group * transits", "pair - group * transits", trees},
	{"transit order: words of the place in the list", likely, "driver/transit.cuh",
		"task{numbered(a, row_of(w)), at, vertex_of(w)};", "task{numbered(a, at), at, vertex_of(w)};", trees},
	{"transit order: the last transit of the list makes no picks", likely, "driver/transit.cuh",
		"if (at >= end) return {{0", "if (at + 1 >= end) return {{0", trees},
	{"transit order: transits without a vertex get the picks of the first", likely, "driver/transit.cuh",
		"places[i] = None;", "places[i] = 0;", trees},
	{"transit order: barrier missing before places are read", likely, "driver/transit.cuh",
		"* WalkerTileSize] = at;\n  }\n  sync_block();", "* WalkerTileSize] = at;\n  }", trees},
	{"trees: Floyd's algorithm replaces the repeated pick", likely, "selector/permute.cuh",
		"if (found) list[j] = before;\n      else if (pick", "if (pick", trees},
}

func init() { kernelMutants = append(kernelMutants, transitKernelMutants...) }

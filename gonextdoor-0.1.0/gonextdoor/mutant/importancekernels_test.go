package mutant

// importanceKernelMutants has faults of the kernels of FastGCN and LADIES.
var importanceKernelMutants = []kernelMutant{
	{"importance counts parallel edges, and not their square", likely, "app/importancelayers.cuh",
		"return edges * edges +", "return edges +", "LADIES"},
	{"a row has no loop", likely, "app/importancelayers.cuh",
		"return {(u64)row.first - 1, row.degree + 1};", "return {(u64)row.first, row.degree};", "LADIES"},
	{"columns are not normalised", likely, "app/importancelayers.cuh",
		"if (!by_row) sum /= d;", "", "LADIES"},
	{"importance counts each vertex for one row only", likely, "app/importancelayers.cuh",
		"if (!fresh && at != None) add_atomic(importances + at, part);", "", "LADIES"},
	{"candidates of the layer before are still in the set", likely, "app/importancelayers.cuh",
		"s.set.clear(s.slots, n);", "", "LADIES"},
	{"links to the first place of a vertex only", likely, "app/importancelayers.cuh",
		"return s.a.replace ? s.a.attached[s.first + place] : None;", "return None;", "LADIES FastGCN"},
	{"links of each sample normalised together", likely, "app/importancelayers.cuh",
		"source + 1 < sources ? begins[source + 1] : links", "links", "LADIES"},
	{"values of links rounded once less", likely, "app/importancelayers.cuh",
		"(f64)total / (f64)importance(j) / (f64)n", "(f64)total / ((f64)importance(j) * (f64)n)", "FastGCN LADIES"},
	{"links without their values", likely, "driver/layerparts.cuh",
		"a.values ? read_once(s.link_values() + i) : 1.0", "1.0", "FastGCN LADIES"},
	{"grid: prefix sums of each block", likely, "core/grid.cuh",
		"return x + sums(OwnBlock::from(x, N - 1)).before;", "return x;", "LADIES"},
	{"grid: the sum of one block", likely, "core/grid.cuh",
		"return sums(OwnBlock::sum(x)).all;", "return OwnBlock::sum(x);", "LADIES"},
	{"draws of a group beyond the last of a layer are kept", likely, "app/importancelayers.cuh",
		"u32 got = s.count - first < k ? s.count - first : (u32)k;", "u32 got = s.count - first;", "FastGCN"},
}

func init() { kernelMutants = append(kernelMutants, importanceKernelMutants...) }

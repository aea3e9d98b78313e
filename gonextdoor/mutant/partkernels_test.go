package mutant

// partKernelMutants has faults of walks on a graph that is copied to GPU memory part by part.
var partKernelMutants = []kernelMutant{
	{"parts: first row of a part read from the part before", likely, "driver/streamedwalk.cuh",
		"if (bounds[middle] <= v) low = middle;", "if (bounds[middle] < v) low = middle;", "DeepWalk"},
	{"parts: walkers that wait after a step not counted", likely, "driver/streamedwalk.cuh",
		"residence.wait(next);\n          break;", "break;", "DeepWalk"},
	{"parts: walkers that wait for a part without a slot not counted", likely, "driver/streamedwalk.cuh",
		"if (!can) residence.wait(part);", "", "DeepWalk"},
	{"parts: walkers keep to the slot of their first step", likely, "driver/streamedwalk.cuh",
		"if (next != part) residence.enter", "if (part == None) residence.enter", "DeepWalk"},
	{"parts: slot numbered from 1", likely, "driver/streamedwalk.cuh",
		"if ((a.resident >> 8 * k & 0xff) == p) slots[p] = k;", "if ((a.resident >> 8 * k & 0xff) == p) slots[p] = k + 1;", "DeepWalk"},
	{"parts: barrier missing before the list is read", likely, "driver/streamedwalk.cuh",
		"    sync_block();\n    // 2. Advance them.", "    // 2. Advance them.", "DeepWalk"},
	{"parts: candidate looked up in its own row", likely, "driver/streamedwalk.cuh",
		"of == previous ? candidate : previous", "candidate", "Node2Vec"},
	{"parts: previous vertex forgotten while a candidate waits", likely, "driver/streamedwalk.cuh",
		"return {vertex, previous, candidate, step << 8 | tries};", "return {vertex, candidate == None ? previous : None, candidate, step << 8 | tries};", "Node2Vec"},
	{"parts: samples of the host written to the first rows", likely, "driver/streamedwalk.cuh",
		"place = fetch(t.alive + k);", "place = k;", "Node2Vec"},
	{"parts: later launch begins at the root", likely, "driver/streamedwalk.cuh",
		"u32 v = t.begin == 0 ? root_of(a.w.b, row) : t.ends[row];", "u32 v = root_of(a.w.b, row);", "PPR"},
}

func init() { kernelMutants = append(kernelMutants, partKernelMutants...) }

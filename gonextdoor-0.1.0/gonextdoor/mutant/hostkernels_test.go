package mutant

// hostKernelMutants has faults of the kernel of mini-batches whose end points the host reads.
var hostKernelMutants = []kernelMutant{
	{"host: all end points are those that the host has written", likely, "driver/hostends.cuh",
		"fetch(h.ends + places[i]) == None ? step.g.indices + position : h.ends + places[i]", "h.ends + places[i]", hostBatches},
	{"host: all edges have the tree of the batch", likely, "driver/hostends.cuh",
		"trees[i] = has[i] ? tree : 0;", "trees[i] = has[i] && a.trees == 0 ? tree : tile.batch;", hostBatches},
	{"host: positions are written from the begin of the step on", likely, "driver/hostends.cuh",
		"((u32*)h.positions)[e] = (u32)position;", "((u32*)h.positions)[e - edge_at[0]] = (u32)position;", hostBatches},
	{"host: the edges of a step overwrite those of the step before", likely, "driver/hostends.cuh",
		"frontier.edges = a.edge_at[(s - 1) * (a.batches + 1) + a.batches];", "", hostBatches},
	{"host: the offsets of a step overwrite those of the step before", likely, "driver/hostends.cuh",
		"frontier.offsets = a.frontier_at[s];", "", hostBatches},
	{"host: sources are of the type of the destinations", likely, "driver/hostends.cuh",
		"(u32)step.source, fetch_far(ends[i])", "(u32)step.destination, fetch_far(ends[i])", hostBatches},
}

func init() { kernelMutants = append(kernelMutants, hostKernelMutants...) }

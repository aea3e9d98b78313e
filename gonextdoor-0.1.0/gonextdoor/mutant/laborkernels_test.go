package mutant

// twoRounds is the beginning of high_of as it was: ids whose xor is 5, or 0x80008000, have dependent numbers.
const twoRounds = `u32 y = id ^ (u32)stream;
  y = (y ^ y >> 16) * 0x7FEB352Du;
  y = (y ^ y >> 15 ^ (u32)(stream >> 32)) * 0x846CA68Bu;
  return y ^ y >> 16;
  u32 x = id;`

// laborKernelMutants has faults of the kernel of mini-batches by LABOR.
var laborKernelMutants = []kernelMutant{
	{"LABOR: relations with one source type do not share random numbers", likely, "driver/laborchoice.cuh",
		"hop_stream(a, batch, step.source, step.hop)", "hop_stream(a, batch, step.relation, step.hop)", laborBatches},
	{"LABOR: Poisson sampling counts excluded edges in the degree", likely, "driver/laborchoice.cuh",
		"poisson_limit((u32)step.fanout, candidates)", "poisson_limit((u32)step.fanout, n.row.degree)", laborBatches},
	{"LABOR: excluded edges are listed", likely, "driver/laborlist.cuh",
		"!(part.range.excluded && part.range.is_excluded(place))", "true", laborBatches},
	{"LABOR: half of the stream is not used", likely, "core/number.cuh", "((u32)(stream >> 32) | 1)", "0x9E3779B1u", laborBatches},
	{"LABOR: numbers by two rounds that are keyed by xor", likely, "core/number.cuh",
		"u32 x = id * ((u32)(stream >> 32) | 1) + (u32)stream;", twoRounds, laborBatches},
	{"LABOR: the last of equal ratios are taken", likely, "selector/sequentialpoisson.cuh",
		"tied + lanes_below(ties) < cut.ties", "tied + lanes_below(ties) + cut.ties >= count_bits(ties)", laborBatches},
	{"LABOR: products of limit and bias wrap around", likely, "selector/sequentialpoisson.cuh",
		"return high_product(limit, bias) + (upto < low) != 0 || word < upto;", "return word < upto;", laborBatches},
	{"LABOR: the frontier begins with the first node", likely, "driver/laborselect.cuh",
		"HopFrontier::first_node(a, step, batch) + i", "i", laborBatches},
	{"LABOR: cut rows are not chosen", likely, "driver/laborselect.cuh",
		"if (choose_cut(a, its, cut, l, space)) continue;", "continue;", laborBatches},
	{"LABOR: edges before and after the row are listed", likely, "driver/laborlist.cuh",
		"if (i - part.begin >= part.end - part.begin) hits &= ~(1u << j);", "", laborBatches},
	{"LABOR: rows whose lists do not suffice are not chosen", likely, "driver/laborselect.cuh",
		"if (choose_late(a, step, frontier, all, phase)) sync_grid(a.arrived);", "", laborBatches},
}

func init() { kernelMutants = append(kernelMutants, laborKernelMutants...) }

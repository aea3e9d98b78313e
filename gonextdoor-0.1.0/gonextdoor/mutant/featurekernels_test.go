package mutant

import (
	"fmt"
	"syscall"
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
)

// featureReads are reads of features, with caches of all kinds.
const featureReads = "features"

// featureKernelMutants has faults of reads of features, and of the cache that looks ahead.
var featureKernelMutants = []kernelMutant{
	{"features: all vectors of a tile are of its first row", likely, "driver/features.cuh",
		"u64 source = shuffle(~0u, from, row % WarpSize);", "u64 source = shuffle(~0u, from, 0);", featureReads},
	{"features: each group of loads begins at the first vector", likely, "driver/features.cuh",
		"u32 e = begin + k * WarpSize + lane_index()", "u32 e = k * WarpSize + lane_index()", featureReads},
	{"features: each warp lists missed rows from the begin of the list", likely, "driver/features.cuh",
		"shuffle(~0u, before, 0) + lanes_below(votes)", "lanes_below(votes)", featureReads},
	{"features: ids truncated to 32 bits", likely, "driver/features.cuh",
		": fetch((const u64*)ids + i);", ": (u32)fetch((const u64*)ids + i);", featureReads},
	{"features: slots looked up by the place in the batch", likely, "driver/features.cuh",
		"r.places ? fetch(r.places + id)", "r.places ? fetch(r.places + i)", featureReads},
	{"features: without a cache, rows are listed in order of arrival", likely, "driver/features.cuh",
		"if (!r.slots) at = i;", "", featureReads},
	{"features: the kernel reads less of the missed rows than its share", likely, "driver/features.cuh",
		"count * share >> 16", "count * share >> 17", featureReads},
	{"features: missed rows are listed for CPU threads only", likely, "driver/features.cuh",
		"if (r.listed) r.listed[at] = (u32)id;", "", featureReads},
	{"features: rows of the host in another order than their places in the result", likely, "driver/featureorder.cuh",
		"a.ordered[at] = row;", "a.ordered[i] = row;", featureReads},
	{"features: rows of the first bucket overwrite those of others", likely, "driver/featureorder.cuh",
		"begin += a.counts[first + k];", "", featureReads},
	{"features: rows counted in buckets of another size than those that are filled", likely, "driver/featureorder.cuh",
		"(fetch(a.from + i) >> a.shift)", "(fetch(a.from + i) >> (a.shift + 1))", featureReads},
	{"features: ordered rows lose their places in the result", likely, "driver/featureorder.cuh",
		"a.to ? fetch(a.to + i) : (u32)i", "(u32)i", featureReads},
	{"features: the last rows of a batch are not copied", likely, "driver/features.cuh",
		"row < rows && at < vectors;", "row + 1 < rows && at < vectors;", featureReads},
	{"lookahead: rows enter from the begin of the result", likely, "driver/features.cuh",
		"(a.from ? fetch(a.from + i) : i)", "i", featureReads},
	{"lookahead: more rows enter than leave", likely, "driver/features.cuh",
		"if (limit && *limit < count) count = *limit;", "", featureReads},
	{"lookahead: the rows that are needed first leave", likely, "driver/lookahead.cuh",
		"u32 d = result ? k : Distances - k,", "u32 d = k,", featureReads},
	{"lookahead: uses after the last bit are lost", likely, "driver/lookahead.cuh",
		"(uses >> shift | uses << (Window - shift)) & Uses;", "uses >> shift;", featureReads},
	{"lookahead: uses by batches that were read remain", likely, "driver/lookahead.cuh",
		"a.uses[id] &= ~((u64)1 << a.batch % Window);", "", featureReads},
	{"lookahead: a row enters once for each time that it was missed", likely, "driver/lookahead.cuh",
		"a.places[id] == Claim + (u32)i", "a.places[id] >= Claim", featureReads},
	{"lookahead: all rows at the last distance swap", likely, "driver/lookahead.cuh",
		"tie && (u32)here < cut.ties", "tie", featureReads},
	{"lookahead: each part of a list begins at 0", likely, "driver/lookahead.cuh",
		"before = All::sum(before);", "before = 0;", featureReads},
	{"lookahead: rows that leave keep their place", likely, "driver/lookahead.cuh",
		"if (old != None) a.places[old] = None;", "", featureReads},
	{"lookahead: claims of rows that do not enter remain", likely, "driver/lookahead.cuh",
		"else if (p.result && d) a.places[id_at(a.ids, a.id_bytes, i)] = None;", "", featureReads},
	{"lookahead: empty slots are filled last", likely, "driver/lookahead.cuh", "row == None ? Empty :", "row == None ? 1 :", featureReads},
	{"lookahead: rows without a use take no empty slot", likely, "driver/lookahead.cuh",
		"t < Distances; t++) {\n    u32 pairs", "t < Never; t++) {\n    u32 pairs", featureReads},
	{"lookahead: rows without a use are kept whatever their class", likely, "driver/lookahead.cuh",
		"return Never + (u32)(word >> Window);", "return Never;", featureReads},
	{"lookahead: batches that were dropped remain in use", likely, "driver/lookahead.cuh",
		"a.uses[row] &= ~Uses;", "a.uses[row] &= ~(u64)0;", featureReads},
	{"lookahead: dropped batches take the classes along", likely, "driver/lookahead.cuh",
		"a.uses[row] &= ~Uses;", "a.uses[row] = 0;", featureReads},
	{"lookahead: barrier missing before distances are counted", likely, "driver/lookahead.cuh",
		"counts[thread_index()] = 0;\n  sync_block();", "counts[thread_index()] = 0;", featureReads},
}

func init() { kernelMutants = append(kernelMutants, featureKernelMutants...) }

// readFeatures reads features with caches of all kinds, until rows or misses are wrong.
func readFeatures(t *testing.T, d *cuda.Device) {
	for _, c := range gputest.FeatureCases() {
		memory, err := syscall.Mmap(-1, 0, c.Rows*c.RowBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		x := &gputest.Features{Bytes: memory, RowBytes: c.RowBytes}
		x.Fill()
		if err := c.Check(d, x, nil); err != nil {
			fmt.Printf("killed by %d rows of %d bytes, %d slots, %d batches ahead: %s\n", c.Rows, c.RowBytes, c.Slots, c.Ahead, firstLine(err))
			return
		}
	}
}

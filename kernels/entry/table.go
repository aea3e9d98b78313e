package entry

import (
	"fmt"
	"slices"
)

// Kernel is one kernel: its name, the struct that is its parameter, and the statement that is its body.
type Kernel struct {
	Name      string
	Parameter string
	Call      string
	Threads   int // the largest number of threads per block; 0: 256
}

// Full is 256 threads per block, compiled for full occupancy of an SM.
const Full = -1

// Tiled is 256 threads per block, compiled for six blocks per SM: as many as tiles of 36 KB of shared memory allow.
const Tiled = -2

// File is a compilation unit: Name.cu in entries, or in testkernels.
type File struct {
	Name     string
	Includes []string
	Kernels  []Kernel
}

// Table returns all files of entries. A combination of an app, a selector and a driver is one line here, and none in a
// kernel.
func Table() []File {
	return slices.Concat(walks(), others(), neighborSamplers(), features(), results())
}

// walks are the files of walks and trees.
func walks() []File {
	return []File{
		{"walk", with("app/teleport.cuh", "driver/walk.cuh", "selector/search.cuh"), over("walk", slices.Concat(moves, searches), "walk<%s, Straight>(a)")},
		{"teleport", with("app/teleport.cuh", "driver/walk.cuh"), over("teleport", tables, "walk<%s, Teleport>(a)")},
		{"metropolis", []string{"app/metropolis.cuh", "driver/walk.cuh", "graph/packed.cuh"}, over("metropolis", rows, "walk<Proposal<%s>, Metropolis>(a)")},
		{"node2vec", with("app/node2vec.cuh", "driver/secondorder.cuh"), append(
			of(Full, over("node2vec", tables, "second_order<%s, Node2Vec>(a)")),
			over("node2vec_rest", tables, "second_order_rest<%s, Node2Vec>(a)")...,
		)},
		{"node2vecoutliers", with("app/node2vecahead.cuh", "driver/secondorderahead.cuh"), slices.Concat(
			over("node2vecoutliers", tables, "second_order<%s, Node2VecOutliers>(a)"),
			over("node2vecoutliers_rest", tables, "second_order_rest<%s, Node2VecOutliers>(a)"),
			of(512, over("node2vecoutliers_ahead", tables[:2], "second_order_ahead<%s, Node2VecAhead<8>>(a)")),
			of(512, over("node2vecoutliers_ahead", tables[2:], "second_order_ahead<%s, Node2VecAhead<2>>(a)")),
		)},
		{"nonbacktracking", with("app/nonbacktracking.cuh", "driver/secondorder.cuh"), append(
			over("nonbacktracking", tables, "second_order<%s, NonBacktracking>(a)"),
			over("nonbacktracking_rest", tables, "second_order_rest<%s, NonBacktracking>(a)")...,
		)},
		{"labelled", []string{"app/path.cuh", "driver/walk.cuh", "selector/bylabel.cuh"}, over("labelled", labels, "walk<%s, Path>(a)")},
		{"temporalwalk", []string{"driver/temporalwalk.cuh"}, append(
			over("temporalwalk", times, "temporal_walk<%s, Unlimited>(a)"),
			over("temporalwalk_limited", times, "temporal_walk<%s, TimeRange>(a)")...,
		)},
		{"multiroot", with("driver/multiroot.cuh"), over("multiroot", tables, "multi_root<%s>(a)")},
		{"tree", []string{"driver/tree.cuh"}, given("Tree", append(trees("tree", "TreeTask"), longTrees()...))},
		{"transit", []string{"driver/transit.cuh"}, append(given("Tree", trees("transit", "SortedTask")),
			Kernel{"transit_count", "TransitOrder", "count_transits(a)", 1024},
			Kernel{"transit_sort", "TransitOrder", "sort_transits(a)", 1024},
			Kernel{"transit_write", "TransitOrder", "write_sorted<false>(a)", 1024},
			Kernel{"transit_write_few", "TransitOrder", "write_sorted<true>(a)", 1024},
		)},
		{"streamed", with(
			"app/metropolis.cuh", "app/nonbacktracking.cuh", "app/path.cuh", "app/teleport.cuh", "driver/streamedcomputed.cuh",
			"driver/streamedoutliers.cuh", "driver/streamedpool.cuh", "driver/streamedsecond.cuh", "driver/streamedtime.cuh", "selector/search.cuh",
		), streamed()},
		{"stopped", with("driver/stopped.cuh", "selector/search.cuh"), over("stopped", slices.Concat(moves, searches), "stopped<%s>(a)")},
		{"computed", []string{"app/computedbias.cuh", "driver/computed.cuh", "graph/packed.cuh"}, of(128,
			over("computed_degree", rows, "computed<%[1]s>(a, ByDegree<%[1]s>(a))"),
			over("computed_second", rows, "computed<%s>(a, SecondOrder(a))"),
		)},
	}
}

// others are the files of all other kernels.
func others() []File {
	return []File{
		{"pagerank", with("driver/pagerank.cuh"), append(
			given("PageRank", over("pagerank", tables, "pagerank<%s>(a)")),
			Kernel{"pagerank_gather", "PageRank", "gather_visits(a)", 0},
		)},
		{"negatives", []string{"driver/negatives.cuh"}, given("Negatives", over("negatives", rows, "negatives<%s>(a)"))},
		{"negativehops", []string{"driver/negativehops.cuh"}, []Kernel{
			{"negativehops_packed", "Negatives", "negatives_at_hops<PackedRows>(a)", 1024},
			{"negativehops_plain", "Negatives", "negatives_at_hops<PlainRows>(a)", 1024},
		}},
		{"roots", []string{"driver/roots.cuh"}, []Kernel{{"roots_draw", "Draw", "draw_roots(a)", 0}}},
		{"frontier", []string{"driver/frontier.cuh", "graph/packed.cuh"}, slices.Concat(
			over("frontier_1", rows, "frontier<Lane, %s>(a)"),
			over("frontier_8", rows, "frontier<Tile<8>, %s>(a)"),
			over("frontier_32", rows, "frontier<Warp, %s>(a)"),
		)},
		{"stepchunks", []string{"driver/stepchunks.cuh", "driver/interleaved.cuh"}, []Kernel{
			{"stepchunks_sums", "StepChunks", "sum_lengths(a)", 0},
			{"stepchunks_tops", "StepChunks", "sum_tops(a)", 1024},
			{"stepchunks_first", "StepChunks", "compact_first(a)", 0},
			{"stepchunks_more", "StepChunks", "compact_more(a)", 0},
			{"interleaved_first", "StepChunks", "compact_interleaved(a)", Tiled},
			{"interleaved_more", "StepChunks", "compact_interleaved_more(a)", 0},
		}},
		{"partitioned", with("driver/partitionedwalk.cuh"), partitioned()},
		{"exchange", with(
			"app/metropolis.cuh", "app/outliers.cuh", "app/nonbacktracking.cuh", "app/path.cuh", "app/teleport.cuh", "driver/exchange.cuh",
			"selector/bylabel.cuh", "selector/search.cuh",
		), exchanged()},
		{"layered", []string{"driver/layerparts.cuh", "graph/gatheredrows.cuh"}, []Kernel{
			{"layered_offsets", "StepChunks", "write_offsets(a)", 0},
			{"layered_vertices", "LayerParts", "place_vertices(a)", 0},
			{"layered_ends", "LayerParts", "place_ends(a)", 0},
			{"layered_links", "LayerParts", "place_links(a)", 0},
			{"layered_rows", "Gathered", "enter_rows(a)", 0},
		}},
		{"uniformdraws", []string{"app/uniformdraws.cuh"}, slices.Concat(
			layeredRows("nodes", "RandomNodes"), layeredRows("edges", "RandomEdges"), layeredRows("clusters", "Clusters"),
		)},
		{"induceddraws", []string{"app/induceddraws.cuh"}, layeredRows("induced", "InducedDraws")},
		{"breadthfirst", []string{"app/breadthfirst.cuh"}, layeredRows("breadthfirst", "BreadthFirst")},
		{"batchhops", []string{"app/batchhops.cuh"}, append(layeredRows("batchhops", "BatchHops"), layeredRows("frontierhops", "FrontierHops")...)},
		{"collectivesteps", []string{"app/collectivesteps.cuh"}, layeredRows("collective", "CollectiveSteps")},
		{"importancelayers", []string{"app/importancelayers.cuh"}, slices.Concat(
			layeredRows("fastgcn", "FastGCN"), layeredRows("ladies", "LADIES"),
			layeredBy(grids, "fastgcn", "FastGCN"), layeredBy(grids, "ladies", "LADIES"),
		)},
		{"layouts", []string{"graph/buildalias.cuh", "graph/buildlabels.cuh", "graph/segments.cuh", "graph/slim.cuh"}, builders(
			"packed", "wide", "wide_alias", "alias_pairs", "alias_slots", "bloom", "unmirrored", "weights", "by_label",
			"packed_labels", "slim", "biased", "segments", "label_biases", "label_segments",
		)},
	}
}

// neighborSamplers are the files of the neighbour sampler.
func neighborSamplers() []File {
	return []File{
		{"neighborsampler", []string{"driver/compact.cuh", "driver/neighborsampler.cuh"}, []Kernel{
			{"neighborsampler_draw", "NeighborSampler", "draw_neighbors<RowChoice>(a)", 512},
			{"neighborsampler_compact", "NeighborSampler", "compact(a)", 512},
		}},
		{"hostends", []string{"driver/hostends.cuh"}, []Kernel{
			{"hostends_draw", "HostEnds", "draw_step(a)", 512},
		}},
		{"neighborranges", []string{"driver/neighborsampler.cuh"}, []Kernel{
			{"neighborranges_draw", "NeighborSampler", "draw_neighbors<RangeChoice>(a)", 512},
		}},
		{"neighborlabor", []string{"driver/neighborsampler.cuh"}, []Kernel{
			{"neighborlabor_draw", "NeighborSampler", "draw_neighbors<LaborChoice>(a)", 512},
		}},
	}
}

// features are the files of features that are read by id.
func features() []File {
	return []File{
		{"features", []string{"driver/featureorder.cuh", "driver/lookahead.cuh"}, []Kernel{
			{"features_read", "FeatureBatch", "read_features(a)", 0},
			{"features_write", "FeatureWrite", "write_features(a)", 0},
			{"features_count", "FeatureOrder", "count_buckets(a)", 0},
			{"features_order", "FeatureOrder", "fill_buckets(a)", 0},
			{"lookahead_announce", "Lookahead", "announce(a)", 0},
			{"lookahead_forget", "Lookahead", "forget(a)", 0},
			{"lookahead_claim", "Lookahead", "claim_missed(a)", 0},
			{"lookahead_distances", "Lookahead", "count_distances(a)", 0},
			{"lookahead_count", "Lookahead", "count_swaps(a)", 0},
			{"lookahead_list", "Lookahead", "list_swaps(a)", 0},
			{"lookahead_swap", "Lookahead", "swap_rows(a)", 0},
		}},
	}
}

// TestTable returns the files of testkernels, which only tests run.
func TestTable() []File {
	return []File{
		{"tasks", []string{"testkernels/tasks.cuh"}, of(128, []Kernel{
			{"tasks", "Walk", "count_tasks(a)", 0},
			{"tasks_arm", "Walk", "arm_tasks(a)", 0},
			{"tasks_warps", "Walk", "grow_tasks<Warp>(a)", 0},
			{"tasks_blocks", "Walk", "grow_tasks<Block<TasksThreads>>(a)", 0},
		})},
		{"choices", []string{"testkernels/choices.cuh"}, of(128, []Kernel{
			{"choices_1", "Choices", "choices<Lane>(a)", 0},
			{"choices_8", "Choices", "choices<Tile<8>>(a)", 0},
			{"choices_32", "Choices", "choices<Warp>(a)", 0},
			{"choices_block", "Choices", "choices<Block<ChoicesThreads>>(a)", 0},
		})},
		{"scanwithout", []string{"testkernels/scanwithout.cuh"}, of(128, []Kernel{
			{"scan_without_1", "Scans", "scans<Lane>(a)", 0},
			{"scan_without_2", "Scans", "scans<Tile<2>>(a)", 0},
			{"scan_without_4", "Scans", "scans<Tile<4>>(a)", 0},
			{"scan_without_8", "Scans", "scans<Tile<8>>(a)", 0},
			{"scan_without_16", "Scans", "scans<Tile<16>>(a)", 0},
			{"scan_without_32", "Scans", "scans<Warp>(a)", 0},
			{"scan_without_128", "Scans", "scans<Block<128>>(a)", 0},
		})},
	}
}

// FewFanouts are the fan-outs of kernels.FewFanouts.
var FewFanouts = []int{5, 10, 15, 25}

// trees returns the kernels of trees in an order of execution, whose class is task. Choices without replacement have a kernel
// for each size of group, and one for the choices that each of these postpones.
func trees(order, task string) (kernels []Kernel) {
	kernels = slices.Concat(
		over(order+"_uniform", rows, "tree_picks<%s, Uniformly, "+task+">(a)"),
		over(order+"_alias", rows, "tree_picks<%s, ByAlias, "+task+">(a)"),
		over(order+"_all", rows, "tree_picks<%s, Everything, "+task+">(a)"),
	)
	choose := func(name, call string) {
		kernels = append(kernels, of(128, over(order+"_"+name, rows, call))...)
	}
	for _, g := range []variant{{"1", "Lane"}, {"8", "Tile<8>"}, {"32", "Warp"}, {"128", "Block<ChoiceThreads>"}} {
		choose("permute_"+g.name, "tree_choices<%s, Permuted, "+g.class+", "+task+">(a)")
		choose("successive_"+g.name, "tree_choices<%s, Successively, "+g.class+", "+task+">(a)")
		if g.name != "128" {
			choose("postponed_"+g.name, "postponed_choices<%s, ChoiceThreads / "+g.name+", "+task+">(a)")
		}
	}
	for _, f := range FewFanouts {
		call := fmt.Sprintf("tree_choices<%%s, PermutedFew<%d>, Lane, %s>(a)", f, task)
		if order == "transit" {
			call = fmt.Sprintf("few_choices<%%s, %d>(a)", f)
		}
		choose(fmt.Sprint("permute_few", f), call)
	}
	choose("biased", "biased_edges<%s, "+task+">(a)")
	return kernels
}

// longTrees returns the kernels of trees whose choices have more picks than fit the shared memory.
func longTrees() []Kernel {
	return of(128, slices.Concat(
		over("tree_long_permute", rows, "long_choices<%s, false>(a)"), over("tree_long_successive", rows, "long_choices<%s, true>(a)"),
	))
}

// with returns the includes, and those of the selectors of moves.
func with(includes ...string) []string {
	return append(includes, "selector/alias.cuh", "selector/uniform.cuh")
}

// variant is a C++ type, and its name within the names of kernels.
type variant struct{ name, class string }

// rows are the layouts of rows.
var rows = []variant{{"packed", "PackedRows"}, {"plain", "PlainRows"}}

// labels are the selectors among the edges with a label.
var labels = []variant{
	{"packed", "ByLabel<PackedLabels>"}, {"plain", "ByLabel<PlainLabels>"}, {"counted", "Counted"},
	{"search_packed", "SearchByLabel<PackedLabels>"}, {"search_plain", "SearchByLabel<PlainLabels>"}, {"search_counted", "SearchCounted"},
}

// times are the selectors among edges in order of time.
var times = []variant{{"uniform", "UniformInTime"}, {"linear", "LinearInTime"}, {"exponential", "ExponentialInTime"}}

// tables are the selectors over rows. moves are those, and the selectors over records that contain the next row. searches are the
// selectors of weights without alias tables.
var (
	tables = []variant{
		{"uniform_packed", "Uniform<PackedRows>"}, {"uniform_plain", "Uniform<PlainRows>"},
		{"alias_packed", "Alias<PackedRows>"}, {"alias_plain", "Alias<PlainRows>"},
	}
	moves = append(tables[:len(tables):len(tables)],
		variant{"uniform_wide", "WideUniform"}, variant{"uniform_slim", "SlimUniform"}, variant{"alias_wide", "WideAlias"})
	searches = []variant{{"search_packed", "Search<PackedRows>"}, {"search_plain", "Search<PlainRows>"}}
)

// over returns a kernel per variant; call has a %s for the type.
func over(name string, variants []variant, call string) (kernels []Kernel) {
	for _, v := range variants {
		kernels = append(kernels, Kernel{name + "_" + v.name, "Walk", fmt.Sprintf(call, v.class), 0})
	}
	return kernels
}

// layeredRows returns the kernels of an app whose samples are layered: per size of the groups that make a sample, and layout of
// rows. Rows may be gathered.
func layeredRows(name, class string) (kernels []Kernel) {
	return layeredBy(groups, name, class, variant{"gathered", "GatheredRows"})
}

// groups are the groups of threads that make a layered sample.
var groups = []variant{{"warp", "Warp"}, {"block", "LayeredBlock"}}

// layeredBy is layeredRows for some sizes of groups, and layouts of rows beside those of all kernels.
func layeredBy(groups []variant, name, class string, more ...variant) (kernels []Kernel) {
	for _, group := range groups {
		for _, r := range append(rows[:len(rows):len(rows)], more...) {
			call := fmt.Sprintf("layered<%[1]s, %[2]s<%[1]s, %[3]s>>(a)", group.class, class, r.class)
			kernels = append(kernels, Kernel{fmt.Sprintf("%s_%s_%s", name, group.name, r.name), "Layered", call, 0})
		}
	}
	return kernels
}

// grids is the group of all threads of a launch.
var grids = []variant{{"grid", "LayeredGrid"}}

// given sets the parameter of kernels, and returns them.
func given(parameter string, kernels []Kernel) []Kernel {
	for i := range kernels {
		kernels[i].Parameter = parameter
	}
	return kernels
}

// of sets the number of threads per block of kernels, and returns all of them.
func of(threads int, kernels ...[]Kernel) []Kernel {
	all := slices.Concat(kernels...)
	for i := range all {
		all[i].Threads = threads
	}
	return all
}

// builders returns the kernels that build the layouts of a graph.
func builders(names ...string) (kernels []Kernel) {
	for _, name := range names {
		kernels = append(kernels, Kernel{"layout_" + name, "Build", "build_" + name + "(a)", 0})
	}
	return kernels
}

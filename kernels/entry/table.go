package entry

import (
	"fmt"
	"slices"
)

// Kernel is one entry: a name, the struct that it is given, and the text that is its body.
type Kernel struct {
	Name      string
	Parameter string
	Call      string
	Threads   int // of a block at most; 0: 256
}

// Full stands for 256 threads, and as many blocks per SM as fit.
const Full = -1

// File is one unit that is compiled: Name.cu in entries, or in testkernels.
type File struct {
	Name     string
	Includes []string
	Kernels  []Kernel
}

// Table lists all files. To combine an app with a selector and a driver is a line here, and none in a kernel.
func Table() []File {
	return []File{
		{"walk", with("app/teleport.cuh", "driver/walk.cuh"), over("walk", moves, "walk<%s, Straight>(a)")},
		{"teleport", with("app/teleport.cuh", "driver/walk.cuh"), over("teleport", tables, "walk<%s, Teleport>(a)")},
		{"metropolis", []string{"app/metropolis.cuh", "driver/walk.cuh", "graph/packed.cuh"}, over("metropolis", rows, "walk<Proposal<%s>, Metropolis>(a)")},
		{"node2vec", with("app/node2vec.cuh", "driver/secondorder.cuh"), append(
			of(Full, over("node2vec", tables, "second_order<%s, Node2Vec>(a)")),
			over("node2vec_rest", tables, "second_order_rest<%s, Node2Vec>(a)")...,
		)},
		{"nonbacktracking", with("app/nonbacktracking.cuh", "driver/secondorder.cuh"), append(
			over("nonbacktracking", tables, "second_order<%s, NonBacktracking>(a)"),
			over("nonbacktracking_rest", tables, "second_order_rest<%s, NonBacktracking>(a)")...,
		)},
		{"labelled", []string{"app/path.cuh", "driver/walk.cuh", "selector/bylabel.cuh"}, over("labelled", labels, "walk<%s, Path>(a)")},
		{"multiroot", with("driver/multiroot.cuh"), over("multiroot", tables, "multi_root<%s>(a)")},
		{"stopped", with("driver/stopped.cuh"), over("stopped", moves, "stopped<%s>(a)")},
		{"computed", []string{"app/computedbias.cuh", "driver/computed.cuh", "graph/packed.cuh"}, of(128,
			over("computed_weight", rows, "computed<%s>(a, ByWeight(a))"),
			over("computed_stopping", rows, "computed<%s>(a, Stopping(a))"),
			over("computed_degree", rows, "computed<%[1]s>(a, ByDegree<%[1]s>(a))"),
			over("computed_second", rows, "computed<%s>(a, SecondOrder(a))"),
			over("computed_labelled", rows, "computed<%s>(a, Labelled(a))"),
		)},
		{"pagerank", with("driver/pagerank.cuh"), append(
			given("PageRank", over("pagerank", tables, "pagerank<%s>(a)")),
			Kernel{"pagerank_gather", "PageRank", "gather_visits(a)", 0},
		)},
		{"roots", []string{"driver/roots.cuh"}, []Kernel{{"roots_drawn", "Draw", "draw_roots(a)", 0}}},
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
			{"interleaved_first", "StepChunks", "compact_interleaved(a)", 0},
			{"interleaved_more", "StepChunks", "compact_interleaved_more(a)", 0},
		}},
		{"neighborsampler", []string{"driver/compact.cuh", "driver/neighborsampler.cuh"}, []Kernel{
			{"neighborsampler_draw", "NeighborSampler", "draw_neighbors(a)", 512},
			{"neighborsampler_compact", "NeighborSampler", "compact(a)", 512},
		}},
		{"partitioned", with("driver/partitionedwalk.cuh"), partitioned()},
		{"layouts", []string{"graph/buildalias.cuh", "graph/buildlabels.cuh", "graph/slim.cuh"}, builders(
			"packed", "wide", "wide_alias", "alias_pairs", "alias_slots", "bloom", "unmirrored", "weights", "by_label",
			"packed_labels", "slim", "biased",
		)},
	}
}

// TestTable lists the files of testkernels, which only tests run.
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
	}
}

// partitioned lists the kernels that walk in the order of the vertices: without visits, and with them counted in either memory.
func partitioned() (kernels []Kernel) {
	add := func(name, call string) {
		kernels = append(kernels, Kernel{"partitioned_" + name, "PartitionedWalk", call + "(a)", 1024})
	}
	add("roots", "count_roots")
	add("exact", "allocate_exactly")
	add("enter", "place_walkers")
	add("place", "prepare_step")
	add("end", "write_ends")
	counted := []variant{{"", "None"}, {"_shared", "Shared"}, {"_memory", "Memory"}}
	for _, m := range []variant{{"uniform", "Uniform<PackedRows>"}, {"alias", "Alias<PackedRows>"}} {
		for _, in := range counted {
			add(m.name+in.name, "step_partitions<"+m.class+", Visits::"+in.class+">")
		}
		add(m.name+"_recount", "recount_partitions<"+m.class+">")
		add(m.name+"_again", "repeat_step<"+m.class+">")
	}
	for _, in := range counted[1:] {
		add("count"+in.name, "count_last_visits<Visits::"+in.class+">")
	}
	return kernels
}

// with adds the selectors of moves.
func with(includes ...string) []string {
	return append(includes, "selector/alias.cuh", "selector/uniform.cuh")
}

// variant is a type of C++ with the name that it has in kernels' names.
type variant struct{ name, class string }

// rows are the ways to find a vertex's row.
var rows = []variant{{"packed", "PackedRows"}, {"plain", "PlainRows"}}

// labels are the selectors among those of its edges that have a label.
var labels = []variant{{"packed", "ByLabel<PackedLabels>"}, {"plain", "ByLabel<PlainLabels>"}, {"counted", "Counted"}}

// tables are selectors over rows, moves those and the selectors over records that hold the next row.
var (
	tables = []variant{
		{"uniform_packed", "Uniform<PackedRows>"}, {"uniform_plain", "Uniform<PlainRows>"},
		{"alias_packed", "Alias<PackedRows>"}, {"alias_plain", "Alias<PlainRows>"},
	}
	moves = append(tables[:len(tables):len(tables)],
		variant{"uniform_wide", "WideUniform"}, variant{"uniform_slim", "SlimUniform"}, variant{"alias_wide", "WideAlias"})
)

// over gives a kernel for each variant; call has a place for its type.
func over(name string, variants []variant, call string) (kernels []Kernel) {
	for _, v := range variants {
		kernels = append(kernels, Kernel{name + "_" + v.name, "Walk", fmt.Sprintf(call, v.class), 0})
	}
	return kernels
}

// given has kernels take another parameter.
func given(parameter string, kernels []Kernel) []Kernel {
	for i := range kernels {
		kernels[i].Parameter = parameter
	}
	return kernels
}

// of puts kernels together whose blocks have so many threads.
func of(threads int, kernels ...[]Kernel) []Kernel {
	all := slices.Concat(kernels...)
	for i := range all {
		all[i].Threads = threads
	}
	return all
}

// builders make a graph's layouts.
func builders(names ...string) (kernels []Kernel) {
	for _, name := range names {
		kernels = append(kernels, Kernel{"layout_" + name, "Build", "build_" + name + "(a)", 0})
	}
	return kernels
}

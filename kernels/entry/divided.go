package entry

import (
	"slices"
	"strings"
)

// partitioned returns the kernels of partitioned walks: without visit counts, and with counts in shared or device
// memory.
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

// streamed returns the kernels of walks on a graph of which GPU memory has some parts at a time.
func streamed() (kernels []Kernel) {
	add := func(name, call string) {
		threads := 0
		if name == "walk_uniform" || name == "metropolis" { // else the compiler takes a few more registers
			threads = Full
		}
		kernels = append(kernels, Kernel{"streamed_" + name, "StreamedWalk", call + "(a)", threads})
	}
	advance := func(name, walker string) { add(name, "advance_walkers<"+walker+">") }
	add("enter", "enter_walkers")
	add("pools", "enter_pools")
	add("patch", "patch_samples")
	for _, m := range []variant{{"uniform", "Uniform<PlainRows>"}, {"alias", "Alias<PlainRows>"}} {
		advance("walk_"+m.name, "FirstOrderSteps<StreamedFirst, "+m.class+", Straight>")
		advance("stopped_"+m.name, "Stopped<"+m.class+">")
		advance("teleport_"+m.name, "FirstOrderSteps<StreamedFirst, "+m.class+", Teleport>")
		advance("multiroot_"+m.name, "ManyRoots<"+m.class+">")
		advance("node2vec_"+m.name, "StreamedNode2Vec<"+m.class+">")
		advance("node2vecoutliers_"+m.name, "SecondOrderOutliers<"+m.class+">")
		advance("nonbacktracking_"+m.name, "SecondOrderSteps<StreamedSecond, "+m.class+", NonBacktracking>")
	}
	advance("walk_search", "FirstOrderSteps<StreamedFirst, Search<PlainRows>, Straight>")
	advance("stopped_search", "Stopped<Search<PlainRows>>")
	advance("metropolis", "FirstOrderSteps<StreamedFirst, Proposal<PlainRows, KnownDegrees>, Metropolis>")
	advance("pool", "StreamedPool")
	for _, m := range []variant{
		{"labelled", "PlacedByLabel<ByLabel<PlainLabels>>"}, {"labelled_counted", "Counted"},
		{"labelled_search", "PlacedByLabel<SearchByLabel<PlainLabels>>"}, {"labelled_search_counted", "SearchCounted"},
	} {
		advance(m.name, "FirstOrderSteps<StreamedFirst, "+m.class+", Path>")
	}
	advance("computed_degree", "StreamedComputed<ByDegree<KnownDegrees>>")
	for _, t := range times {
		advance("temporal_"+t.name, "InOrderOfTime<"+t.class+">")
	}
	return kernels
}

// exchanged returns the kernels of walks that several GPUs make together. They have the names of the kernels of one GPU, with
// a prefix. There are none with records that contain the next row: a step has no record of the step before.
func exchanged() []Kernel {
	var vertices []variant // the moves that read the row of the vertex
	for _, m := range moves {
		if !strings.HasSuffix(m.name, "_wide") {
			vertices = append(vertices, m)
		}
	}
	kernels := given("Exchange", slices.Concat(
		over("exchange_walk", slices.Concat(vertices, searches), "exchange_walk<%s, Straight>(a)"),
		over("exchange_teleport", tables, "exchange_walk<%s, Teleport>(a)"),
		over("exchange_metropolis", rows, "exchange_walk<Proposal<%s>, Metropolis>(a)"),
		over("exchange_labelled", labels, "exchange_walk<%s, Path>(a)"),
	))
	for _, app := range []variant{{"node2vec", "Node2Vec"}, {"node2vecoutliers", "Node2VecOutliers"}, {"nonbacktracking", "NonBacktracking"}} {
		kernels = append(kernels, given("Exchange", slices.Concat(
			over("exchange_"+app.name, tables, "exchange_second<%s, "+app.class+">(a)"),
			over("exchange_"+app.name+"_rest", tables, "exchange_rest<%s, "+app.class+">(a)"),
		))...)
	}
	return append(kernels, Kernel{"exchange_roots", "Walk", "write_roots(a)", 0})
}

package mutant

import (
	"testing"

	"gonextdoor/gonextdoor/engine/enginetest"
)

// askingMutants are faults of mini-batches and trees of partitioned graphs.
var askingMutants = []memoryMutant{
	{
		"keys of places in place of vertices", "question.go",
		"keys[i] = g.stream.Key(uint64(v))", "keys[i] = g.stream.Key(uint64(int(v) - int(v) + i))", "TestPartitionedBatches",
	},
	{
		"a hot row taken for one that the part owns", "round.go",
		"return p.Owners.Parts(), row", "return p.Number, row", "TestPartitionedBatches",
	},
	{
		"answers to the groups of other batches", "round.go",
		"q.edges[part] = edges[next]", "q.edges[part] = edges[len(edges)-1-next]", "TestBatchCallsShare",
	},
	{
		"the stream of another hop", "batchcall.go",
		"stream: app.HopStream(b.seed, r, c.hop)", "stream: app.HopStream(b.seed, r, 0)", "TestPartitionedBatches",
	},
	{
		"keys without the tree", "batchcall.go",
		"g.stream.Key(uint64(tree)).Stream(0).Key(uint64(vertices[i]))", "g.stream.Key(uint64(vertices[i]))", "TestPartitionedBatches",
	},
	{
		"all trees at the time of the first", "batchcall.go",
		"b.nodes.Times[tree]", "b.nodes.Times[0]", "TestPartitionedBatches",
	},
	{
		"excluded edges that are not sent", "batchcall.go",
		"g.Excluded = b.nodes.Excluded[r]", "g.Excluded = nil", "TestPartitionedBatches",
	},
	{
		"random numbers of end points of another hop", "batchcall.go",
		"c.app.EndStream(b.seed, c.home.Graph.Relations[r].Source, c.hop)", "app.HopStream(b.seed, r, c.hop)", "TestPartitionedBatches",
	},
	{
		"random numbers of end points by relation in place of their type", "batchcall.go",
		"c.app.EndStream(b.seed, c.home.Graph.Relations[r].Source, c.hop)", "c.app.EndStream(b.seed, r, c.hop)", "TestPartitionedBatches",
	},
	{
		"the stream of another relation", "batchcall.go",
		"stream: app.HopStream(b.seed, r, c.hop)", "stream: app.HopStream(b.seed, 0, c.hop)", "TestPartitionedBatches",
	},
	{
		"weights of relations without times ignored by date", "answer.go",
		`(m.Temporal == "" || c.rows.Times == nil)`, `m.Temporal == ""`, "TestPartitionedBatches",
	},
	{
		"rows of another relation", "answer.go",
		"p := h.Relations[g.relation]", "p := h.Relations[0]", "TestPartitionedBatches",
	},
	{
		"edge ids cut to 32 bits", "answer.go",
		"appendAnswer(answer, &edges, p.rows.EdgeIDs64 != nil)", "appendAnswer(answer, &edges, false)", "TestPartitionedTrees",
	},
	{
		"degrees of end points taken for weights in questions only", "round.go",
		"stream: g.stream, degrees: g.degrees, vertices", "stream: g.stream, vertices", "TestPartitionedTrees",
	},
	{
		"ids of samples counted from 0", "trees.go",
		"choices.Key(t.batch.First+uint64(i))", "choices.Key(uint64(i))", "TestPartitionedTrees",
	},
	{
		"missing transits not counted", "trees.go",
		"append(g.Keys, stream.Key(uint64(slot)))", "append(g.Keys, stream.Key(uint64(len(g.Keys)%t.level)))", "TestPartitionedTrees",
	},
	{
		"transits of a frontier counted in the order drawn", "frontiers.go",
		"append(g.Keys, stream.Key(t))", "append(g.Keys, stream.Key(uint64(len(g.Keys))))", "TestPartitionedTrees",
	},
	{
		"an empty step that is kept", "frontiers.go",
		"s.ended = s.ended || len(s.row.Vertices) == ends[i]; !s.ended", "s.ended = s.ended; !s.ended", "TestPartitionedTrees",
	},
	{
		"vertices burned by a choice that was not complete", "fires.go",
		"delete(s.burned, v)", "s.burned[v] = missing", "TestPartitionedTrees",
	},
	{
		"draws that are rejected replaced by the next edge", "fires.go",
		"return int64(attempt - 1)", "return int64(min(attempt, b.draws-1))", "TestPartitionedTrees",
	},
	{
		"buffers kept that the caller frees", "fires.go",
		"b.ends, b.ids, b.draws = slices.Clone(ends), slices.Clone(ids), g.draws", "b.ends, b.ids, b.draws = ends, ids, g.draws", "TestPartitionedTrees",
	},
}

// assemblyMutants are faults of mini-batches whose edges are chosen elsewhere.
var assemblyMutants = []memoryMutant{
	{
		"destinations counted from the frontier", "assembly.go",
		"x.arrays.destinations[k] = int64(first + i)", "x.arrays.destinations[k] = int64(i)", "TestAssembledBatches",
	},
	{
		"excluded edges of the first row only", "rowchoice.go",
		"for _, row := range rows {", "for _, row := range rows[:min(1, len(rows))] {", "TestRowsWithoutEdges",
	},
	{
		"counts of an empty choice left from the last", "rowchoice.go",
		"out.Counts[i] = 0", "out.Counts[i] += 0", "TestRowsWithoutEdges",
	},
	{
		"windows of other rows", "rowchoice.go",
		"Windows: q.Windows}", "Windows: q.Times}", "TestRowsAtSeveralTimes",
	},
}

// TestMutantsOfAsking breaks packages partition and neighbor in an overlay of their source, and runs their tests.
func TestMutantsOfAsking(t *testing.T) {
	checkPackage(t, "asking", "Asking parts", askingMutants, partitionFolder, enginetest.NewShare(t, 11)) // each compiles the package
	checkPackage(t, "assemblies", "Assemblies", assemblyMutants, "gonextdoor/engine/cpu/neighbor", enginetest.NewShare(t, 7))
}

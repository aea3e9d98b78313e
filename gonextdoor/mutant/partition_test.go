package mutant

import (
	"testing"

	"gonextdoor/gonextdoor/engine/enginetest"
)

const partitionFolder = "gonextdoor/partition"

// walksEqual are the tests that compare walks on parts with those on the whole graph.
const walksEqual = "TestWalksEqual"

// partitionMutants are faults of walks on a partitioned graph.
var partitionMutants = []memoryMutant{
	{
		"a walker sent twice", "movement.go",
		"c.send(k, c.part.Owner(w.at), w)",
		"c.send(k, c.part.Owner(w.at), w)\n\tc.send(k, c.part.Owner(w.at), w)", walksEqual,
	},
	{
		"a rejected try counted twice", "movement.go",
		"walkers[i].slot++", "walkers[i].slot += 2", walksEqual,
	},
	{
		"a row searched for its own vertex", "asking.go",
		"target = w.prev\n", "target = w.candidate\n", walksEqual,
	},
	{
		"neighbours of the previous vertex taken for others", "secondorder.go",
		"return t.order.Near > t.order.Away", "return t.order.Near < t.order.Away", walksEqual,
	},
	{
		"the row of another hot vertex", "walks.go",
		"return w.hot, row, true", "return w.hot, (row + 1) % uint32(len(w.hot.indptr)-1), true", walksEqual,
	},
	{
		"the keys of the first cohort", "cohort.go",
		"c.stream.Key(c.first + sample)", "c.stream.Key(sample)", walksEqual,
	},
	{
		"the largest degree of a part", "split.go",
		"MaxDegree: whole.MaxDegree,", "MaxDegree: rows.MaxDegree(),", walksEqual,
	},
	{
		"the time of the last edge forgotten", "step.go",
		"w.extra = uint64(r.times.times[at])", "w.extra = 0", walksEqual,
	},
	{
		"the root of a walk forgotten", "movement.go",
		"if !c.needs.root {", "if !c.needs.root || c.needs.root {", walksEqual,
	},
	{
		"positions of edges within a part taken for ids", "movement.go",
		"id = c.rowsOf(w).g.EdgeID(position)", "id = position", walksEqual,
	},
	{
		"visits of hot vertices lost", "visits.go",
		"c.passed[row]++", "c.passed[row] += 0", walksEqual,
	},
	{
		"a visit counted for each try", "movement.go",
		"if w.slot&255 == 0 && c.visited != nil {", "if c.visited != nil {", walksEqual,
	},
	{
		"the last vertex of a walk not counted", "movement.go",
		"c.visit(next)\n", "_ = next\n", walksEqual,
	},
	{
		"the bits of a scan in another order", "asking.go",
		"bits[i/32] |= 1 << (i % 32)", "bits[i/32] |= 1 << (31 - i%32)", walksEqual,
	},
	{
		"the edge before that of a search", "asking.go",
		"low := done.Low[k]", "low := max(1, done.Low[k]) - 1", walksEqual,
	},
	{
		"outcomes of the turn before", "batch.go",
		"g.outcomes[outcome].size = 0", "g.outcomes[outcome].size += 0", walksEqual,
	},
	{
		"walks that stop with the other probability", "step.go",
		"if uint64(accept) < threshold {", "if uint64(accept) >= threshold {", walksEqual,
	},
	{
		"jumps to the first vertices alone", "step.go",
		"app.JumpTo(vertices, ", "app.JumpTo(1+vertices/2, ", walksEqual,
	},
	{
		"the degree of a proposal taken for that of the vertex", "step.go",
		"term, here, r.tables.Degree(next))", "term, here, here)", walksEqual,
	},
	{
		"a rejected walker from another part not sent back", "ahead.go",
		"default:\n\t\t\tc.enter(i)", "default:\n\t\t\tc.finish(i, w.at)", walksEqual,
	},
	{
		"the try ahead by the word of the one before", "ahead.go",
		".slot) + uint64(t) + 1)", ".slot) + uint64(t))", walksEqual,
	},
	{
		"a rejected try ahead counted twice", "ahead.go",
		"case rejected:\n", "case rejected:\n\t\t\tw.slot++\n", walksEqual,
	},
	{
		"an outlier proposed ahead taken for an edge of the row", "ahead.go",
		"b.Accepted[k] = elsewhere", "b.Accepted[k] += 0", walksEqual,
	},
	{
		"a place of a group that stays free", "cohort.go",
		"i := g.free.pop()", "i := g.free.of[0]", walksEqual,
	},
	{
		"look-ups of hot rows in those of the part", "asking.go",
		"c.group.lookups[bit(r == c.hot)].add", "c.group.lookups[bit(r == c.hot)&0].add", walksEqual,
	},
	{
		"a vertex counted among those before it", "rowset.go",
		"(1<<(v%64)-1))), w.bits", "(2<<(v%64)-1))), w.bits", "TestPartsHaveTheRows",
	},
}

// TestMutantsOfPartitions breaks package partition in an overlay of its source, and runs its tests.
func TestMutantsOfPartitions(t *testing.T) {
	checkPackage(t, "partitions", "Parts", partitionMutants, partitionFolder, enginetest.NewShare(t, 8)) // each compiles the package
}

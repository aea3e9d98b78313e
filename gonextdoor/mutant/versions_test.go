package mutant

import (
	"testing"

	"gonextdoor/gonextdoor/engine/enginetest"
)

// versionMutants are faults of the merge that makes a version of a graph.
var versionMutants = []memoryMutant{
	{
		"new edges before those of the graph to the same neighbour", "merge.go",
		"slices.BinarySearch(m.from.Indices[at:end], v+1)", "slices.BinarySearch(m.from.Indices[at:end], v)", "TestUpdated",
	},
	{
		"an id that moved with its position", "merge.go",
		"ids[i] = T(p.from + uint64(i))", "ids[i] = T(at - p.n + uint64(i))", "TestUpdated",
	},
	{
		"ids of new edges by row", "merge.go",
		"m.nextID + m.added.order.At(int(p.from)+i)", "m.nextID + p.from + uint64(i)", "TestUpdated",
	},
	{
		"ids of removed edges used again", "update.go",
		"if g.NextID > 0 {", "if g.NextID > 1<<40 {", "TestUpdated",
	},
	{
		"the last of parallel edges removed", "removal.go",
		"skip, _ := slices.BinarySearch(row[at:], v)", "skip, _ := slices.BinarySearch(row[at:], v+1)\n\t\t\tskip = max(0, skip-1)", "TestUpdated",
	},
	{
		"one direction of an undirected edge removed", "removal.go",
		"&& wanted.has(uint64(id)) {", "&& wanted.has(uint64(id)) && !found.has(uint64(id)) {", "TestUpdated",
	},
	{
		"edges of the last time of a window removed", "removal.go",
		"if time < *u.Since {", "if time <= *u.Since {", "TestUpdated",
	},
	{
		"biases of another unit copied", "reweigh.go",
		"} else if int(unit.Scale) != scale {", "} else if int(unit.Scale) > scale {", "TestUpdated",
	},
	{
		"the unit of the largest new weight", "reweigh.go",
		"return max(largest, math.Ldexp(float64(kept), scale)), nil", "if largest > 0 {\n\t\treturn largest, nil\n\t}\n\treturn math.Ldexp(float64(kept), scale), nil", "TestUpdated",
	},
	{
		"a row that only lost edges taken for unchanged", "merge.go",
		"if plus|minus != 0 {", "if plus != 0 || minus > 1 {", "TestUpdated",
	},
}

// versionAliasMutants are faults of the alias tables of a version.
var versionAliasMutants = []memoryMutant{
	{
		"a stale row", "aliasbuild.go",
		"g.Changed[u/64]>>(u%64)&1 == 0 {", "(g.Changed[u/64]>>(u%64)&1 == 0 || u < from.NumVertices() && g.Degree(uint32(u)) == from.Degree(uint32(u))) {", "TestUpdateAlias",
	},
	{
		"slots at the positions of the version", "aliasbuild.go",
		"AliasOf(from)[from.Indptr[lo]:]", "AliasOf(from)[min(first, from.Indptr[from.NumVertices()]):]", "TestUpdateAlias",
	},
}

// versionEdgeSetMutants are faults of the edge set of a version.
var versionEdgeSetMutants = []memoryMutant{
	{
		"a stale bit: a removed edge stays in the set", "edgesetversion.go",
		"s.remove(s.Scramble(u, v))", "s.Scramble(u, v)", "TestUpdateEdgeSet",
	},
	{
		"a full bucket that ends a search after a removal", "edgeset.go",
		"removedPair = ^uint32(0)", "removedPair = uint32(0)", "TestUpdateEdgeSet",
	},
	{
		"an edge with a parallel one taken for removed", "edgesetversion.go",
		"if before[0] != last {", "if true {", "TestUpdateEdgeSet",
	},
	{
		"one direction of an edge taken for both", "edgesetversion.go",
		"if g.HasEdge(v, u) != added {", "if false {", "TestUpdateEdgeSet",
	},
}

// keptMutants are faults of the search for samples that a change touches, and of those that are kept.
var keptMutants = []memoryMutant{
	{
		"a missed row: the last one that is read", "view.go",
		"int64(i)*int64(width)+int64(read)", "int64(i)*int64(width)+int64(max(0, read-1))", "TestTouched",
	},
	{
		"new vertices in a bitmap of 64", "view.go",
		"if word := uint64(v) >> 6; word", "if word := uint64(v) >> 6 & 0; word", "TestTouched",
	},
	{
		"rows after a replaced one shifted", "view.go",
		"copy(out[at*size:next*size], old[min(at*size, len(old)):])", "copy(out[at*size:next*size], old[min((at-k)*size, len(old)):])", "TestReplaced",
	},
}

// localMutants are faults of the apps whose samples are kept: rows that a sample reads and that the search does not look at.
var localMutants = []memoryMutant{
	{
		"a missed membership row: edges looked up in the row of a vertex that is only proposed", "node2vec.go",
		"uint64(accept) < order.Of(g, prev, next)", "uint64(accept) < order.Of(g, next, prev)", "TestRowLocal",
	},
	{
		"degrees of vertices that a walk does not visit", "walk.go",
		"func (a *Walk) RowLocal(bool) bool { return a.Bias != app.ByDegree }", "func (a *Walk) RowLocal(bool) bool { return true }", "TestRowLocal",
	},
	{
		"jumps to new vertices", "teleport.go",
		"func (a *Jump) RowLocal(grown bool) bool { return !grown }", "func (a *Jump) RowLocal(grown bool) bool { return true }", "TestRowLocal",
	},
}

// savedMutants are faults of the folder of a version, from which a stream resumes.
var savedMutants = []memoryMutant{
	{
		"the id of the next edge not saved", "save.go",
		"if g.NextID > end {", "if g.NextID > end+1<<40 {", "TestNextIDIsSaved",
	},
	{
		"the id of the next edge not read", "folder.go",
		", NextID: uint64(f.record.NextID),", ",", "TestNextIDIsSaved",
	},
}

// TestMutantsOfVersions breaks the packages that make versions of graphs and of samples in overlays of their source.
func TestMutantsOfVersions(t *testing.T) {
	// Each compiles the package.
	checkPackage(t, "versions", "Versions", versionMutants, "gonextdoor/graph/build", enginetest.NewShare(t, 5))
	checkPackage(t, "versionaliases", "Alias tables of versions", versionAliasMutants, "gonextdoor/graph/index", enginetest.NewShare(t, 2))
	checkPackage(t, "versionedgesets", "Edge sets of versions", versionEdgeSetMutants, "gonextdoor/graph/index", enginetest.NewShare(t, 4))
	checkPackage(t, "kept", "Kept samples", keptMutants, "gonextdoor/output/view", enginetest.NewShare(t, 3))
	checkPackage(t, "local", "Apps that keep samples", localMutants, "gonextdoor/apps", enginetest.NewShare(t, 3))
	checkPackage(t, "saved", "Saved versions", savedMutants, "gonextdoor/file", enginetest.NewShare(t, 2))
}

package mutant

import (
	"cmp"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// batchFault selects a fault of mini-batches; the zero value has none.
type batchFault struct {
	twice      bool // a vertex that is discovered again gets another local id, and is expanded again
	asGiven    bool // likewise for a vertex that the batch holds twice
	late       bool // excluded edges are chosen, then dropped
	blind      bool // excluded edges are not excluded
	byPlace    bool // the key of a vertex is its place in the batch
	oneHop     bool // all hops share their keys
	sorted     bool // local ids are in the order of vertices, not of first appearance
	newOnly    bool // blocks expand only the vertices of the previous hop
	all        bool // fan-out -1 takes edges without a bias too
	alike      bool // all relations share their keys
	noTree     bool // all trees share their keys
	oneTree    bool // a vertex that another tree discovered is not discovered again
	backwards  bool // end points of the last relation get local ids first
	bySlot     bool // end points of the first slots get local ids first
	current    bool // a hop expands nodes that an earlier relation discovered in the same hop
	forgets    bool // of new nodes, only those that the last relation discovered are expanded
	strict     bool // an edge at the time of the root is excluded
	future     bool // later edges are not excluded
	past       bool // edges before the window of a tree are taken
	open       bool // an edge at the begin of a window is excluded
	firstTime  bool // all trees have the time of the first
	vertexTime bool // the time of the end point takes precedence over that of the edge
	inOrder    bool // the edges of a row are not sorted by time
	earliest   bool // the earliest edges are taken instead of the latest
	lastAll    bool // the latest edges include those without a bias
	flat       bool // choices among edges with times do not follow their weights
	labor      laborFault
}

// batchDraw draws one mini-batch with a fault.
type batchDraw struct {
	batchFault
	a     *app.NeighborSampling
	h     *graph.Hetero
	seeds app.SeedNodes
	nodes [][]batchNode
	by    [][]int // the relation that discovered each node, or -1
}

type batchNode struct{ tree, vertex uint32 }

func batchBy(f batchFault) func(*app.NeighborSampling) apptest.BatchSampler {
	return func(a *app.NeighborSampling) apptest.BatchSampler {
		return func(h *graph.Hetero, seed uint64, s app.SeedNodes) app.NeighborBatch {
			d := batchDraw{f, a, h, s, make([][]batchNode, len(h.Counts)), make([][]int, len(h.Counts))}
			return d.run(seed)
		}
	}
}

func (d *batchDraw) run(seed uint64) (n app.NeighborBatch) {
	tree := uint32(0)
	for t, vertices := range d.seeds.Vertices {
		for _, v := range vertices {
			if d.number(t, batchNode{tree, v}, -1, d.asGiven); d.a.Disjoint {
				tree++
			}
		}
		n.New = append(n.New, []int{len(d.nodes[t])})
	}
	before := make([]int, len(d.nodes))
	for hop := range d.a.Fanouts {
		known := d.count()
		hops, ends := make([]app.Hop, len(d.h.Relations)), make([][][]batchNode, len(d.h.Relations))
		for r, relation := range d.h.Relations {
			t := relation.Destination
			if d.current {
				known[t] = len(d.nodes[t])
			}
			x := app.Hop{Indptr: []int64{0}}
			if d.a.Expand == app.ExpandNew {
				x.First = before[t]
			}
			for i := x.First; i < known[t]; i++ {
				u := d.nodes[t][i]
				var edges []uint64
				switch {
				case d.skips(t, i, before[t], hop):
				case d.a.Labor():
					edges = d.byLabor(seed, r, hop, u)
				default:
					edges = d.expand(r, u, d.key(seed, r, hop, i, u), d.a.Fanouts[hop][r])
				}
				var reached []batchNode
				for _, e := range edges {
					reached = append(reached, batchNode{u.tree, relation.Graph.Indices[e]})
				}
				x.Positions, ends[r] = append(x.Positions, edges...), append(ends[r], reached)
				x.Indptr = append(x.Indptr, int64(len(x.Positions)))
			}
			x.Destinations = known[t] - x.First
			if hops[r] = x; d.current {
				d.meet(r, ends[r])
			}
		}
		d.meetAll(ends)
		for r, relation := range d.h.Relations {
			for _, v := range slices.Concat(ends[r]...) {
				hops[r].Indices = append(hops[r].Indices, d.number(relation.Source, v, r, d.twice))
			}
		}
		n.Hops = append(n.Hops, hops)
		for t := range n.New {
			n.New[t] = append(n.New[t], len(d.nodes[t])-known[t])
		}
		before = known
	}
	return d.withNodes(n)
}

// skips reports whether the fault prevents the expansion of a node of the frontier.
func (d *batchDraw) skips(t, i, before, hop int) bool {
	return d.newOnly && i < before || d.forgets && d.a.Expand == app.ExpandNew && hop > 0 && d.by[t][i] != len(d.h.Relations)-1
}

// withNodes returns the result with the nodes.
func (d *batchDraw) withNodes(n app.NeighborBatch) app.NeighborBatch {
	for _, nodes := range d.nodes {
		var vertices, trees []uint32
		for _, u := range nodes {
			vertices, trees = append(vertices, u.vertex), append(trees, u.tree)
		}
		if n.Nodes = append(n.Nodes, vertices); d.a.Disjoint {
			n.Trees = append(n.Trees, trees)
		}
	}
	return n
}

func (d *batchDraw) count() (n []int) {
	for _, nodes := range d.nodes {
		n = append(n, len(nodes))
	}
	return n
}

// number returns the local id of a node that an edge of relation r leads to.
func (d *batchDraw) number(t int, u batchNode, r int, anew bool) int64 {
	i := slices.IndexFunc(d.nodes[t], func(v batchNode) bool { return v == u || d.oneTree && r >= 0 && v.vertex == u.vertex })
	if i >= 0 && !anew {
		return int64(i)
	}
	d.nodes[t], d.by[t] = append(d.nodes[t], u), append(d.by[t], r)
	return int64(len(d.nodes[t]) - 1)
}

// meetAll assigns local ids to the ends of a hop in the wrong order of the fault, if it has one.
func (d *batchDraw) meetAll(ends [][][]batchNode) {
	if d.backwards {
		for r := len(ends) - 1; r >= 0; r-- {
			d.meet(r, ends[r])
		}
	}
	for r := range ends {
		if d.sorted {
			all := slices.Concat(ends[r]...)
			slices.SortFunc(all, func(u, v batchNode) int { return cmp.Compare(u.vertex, v.vertex) })
			d.meet(r, [][]batchNode{all})
		}
		for slot := 0; d.bySlot && slot < 8; slot++ {
			for _, reached := range ends[r] {
				if slot < len(reached) {
					d.number(d.h.Relations[r].Source, reached[slot], r, false)
				}
			}
		}
	}
}

func (d *batchDraw) meet(r int, ends [][]batchNode) {
	for _, v := range slices.Concat(ends...) {
		d.number(d.h.Relations[r].Source, v, r, false)
	}
}

func (d *batchDraw) key(seed uint64, r, hop, place int, u batchNode) rng.Key {
	if d.oneHop {
		hop = 0
	}
	if d.alike {
		r = 0
	}
	stream := app.HopStream(seed, r, hop)
	if d.byPlace {
		return stream.Key(uint64(place))
	}
	if d.a.Disjoint && !d.noTree {
		stream = stream.Key(uint64(u.tree)).Stream(0)
	}
	return stream.Key(uint64(u.vertex))
}

// timeOf returns the time of an edge, and whether it has one.
func (d *batchDraw) timeOf(r int, position uint64) (time int64, known bool) {
	relation := d.h.Relations[r]
	ofVertex := d.h.Times != nil && d.h.Times[relation.Source] != nil
	switch {
	case d.a.Temporal == "":
		return 0, false
	case ofVertex && (d.vertexTime || relation.Graph.Times == nil):
		return d.h.Times[relation.Source][relation.Graph.Indices[position]], true
	case relation.Graph.Times != nil:
		return relation.Graph.Times[position], true
	}
	return 0, false
}

// left returns the positions of the eligible edges of a node in order, and whether they have times.
func (d *batchDraw) left(r int, u batchNode) (positions []uint64, timed bool) {
	g, begin, limit := d.h.Relations[r].Graph, int64(0), int64(0)
	if d.seeds.Times != nil {
		begin = d.seeds.Earliest(u.tree)
		if limit = d.seeds.Times[u.tree]; d.firstTime {
			limit = d.seeds.Times[0]
		}
	}
	first, end := g.Row(u.vertex)
	for p := first; p < end; p++ {
		out := d.excludes(r, p) && !d.late && !d.blind
		var time int64
		time, timed = d.timeOf(r, p)
		early := time < begin && !d.past || time == begin && d.open && d.seeds.Windows != nil
		if late := time > limit && !d.future || time == limit && d.strict; !out && !(timed && (early || late)) {
			positions = append(positions, p)
		}
	}
	if timed && !d.inOrder {
		slices.SortStableFunc(positions, func(p, q uint64) int {
			a, _ := d.timeOf(r, p)
			b, _ := d.timeOf(r, q)
			return cmp.Compare(a, b)
		})
	}
	return positions, timed
}

func (d *batchDraw) excludes(r int, position uint64) bool {
	g := d.h.Relations[r].Graph
	return d.seeds.Excluded != nil && slices.Contains(d.seeds.Excluded[r], int64(g.EdgeID(position)))
}

func (d *batchDraw) expand(r int, u batchNode, key rng.Key, fanout int) (chosen []uint64) {
	g := d.h.Relations[r].Graph
	left, timed := d.left(r, u)
	candidates := row{n: uint64(len(left))}
	weighs := d.a.Weighs(g) && !(d.flat && timed) && !(d.all && fanout < 0)
	if weighs {
		candidates.biases = []uint32{}
		for _, p := range left {
			candidates.biases = append(candidates.biases, g.Biases[p])
		}
	}
	k, replace := uint64(fanout), d.a.Replace
	if fanout < 0 {
		k, replace = candidates.n, false
	}
	if d.a.Temporal == app.TemporalLast && timed {
		return d.latest(left, candidates.biases, k)
	}
	if weighs && len(left) > 0 {
		ends := make([]uint32, len(left))
		candidates.slots = make([]index.AliasSlot, len(left))
		if index.BuildAliasRow(ends, candidates.biases, candidates.slots); candidates.slots[0].Vertex == graph.None {
			candidates.slots = nil
		}
	}
	for _, i := range rightPicks(key, k, candidates, replace) {
		if !d.late || !d.excludes(r, left[i]) {
			chosen = append(chosen, left[i])
		}
	}
	return chosen
}

func (d *batchDraw) latest(left []uint64, biases []uint32, k uint64) (chosen []uint64) {
	for i, p := range left {
		if biases == nil || biases[i] > 0 || d.lastAll {
			chosen = append(chosen, p)
		}
	}
	if n := uint64(len(chosen)); n > k && d.earliest {
		return chosen[:k]
	} else if n > k {
		return chosen[n-k:]
	}
	return chosen
}

var batchMutants = []batchMutant{
	{"NeighborSampling: known vertex expanded again", likely, batchBy(batchFault{twice: true})},
	{"NeighborSampling: repeated seed expanded twice", likely, batchBy(batchFault{asGiven: true})},
	{"NeighborSampling: excluded edges drawn, then dropped", likely, batchBy(batchFault{late: true})},
	{"NeighborSampling: excluded edges drawn", likely, batchBy(batchFault{blind: true})},
	{"NeighborSampling: key of a vertex derived from its index in the batch", likely, batchBy(batchFault{byPlace: true})},
	{"NeighborSampling: same key for all hops", likely, batchBy(batchFault{oneHop: true})},
	{"NeighborSampling: new vertices numbered by id", likely, batchBy(batchFault{sorted: true})},
	{"NeighborSampling: only new vertices expanded", likely, batchBy(batchFault{newOnly: true})},
	{"NeighborSampling: fan-out -1 (all edges) includes edges of zero bias", likely, batchBy(batchFault{all: true})},
	{"NeighborSampling: same key for all relations", likely, batchBy(batchFault{alike: true})},
	{"NeighborSampling: same key for all trees", likely, batchBy(batchFault{noTree: true})},
	{"NeighborSampling: vertices shared between trees", likely, batchBy(batchFault{oneTree: true})},
	{"NeighborSampling: vertices of the last relation numbered first", likely, batchBy(batchFault{backwards: true})},
	{"NeighborSampling: end points numbered slot by slot instead of row by row", likely, batchBy(batchFault{bySlot: true})},
	{"NeighborSampling: hop expands vertices that it discovered itself", likely, batchBy(batchFault{current: true})},
	{"NeighborSampling: new vertices expanded for the last relation only", likely, batchBy(batchFault{forgets: true})},
	{"NeighborSampling: edge at exactly the seed time excluded", likely, batchBy(batchFault{strict: true})},
	{"NeighborSampling: edges after the seed time not excluded", likely, batchBy(batchFault{future: true})},
	{"NeighborSampling: edges before the window are not left out", likely, batchBy(batchFault{past: true})},
	{"NeighborSampling: an edge at the begin of the window is left out", likely, batchBy(batchFault{open: true})},
	{"NeighborSampling: time of the first seed used for all trees", likely, batchBy(batchFault{firstTime: true})},
	{"NeighborSampling: vertex time used instead of the edge time", likely, batchBy(batchFault{vertexTime: true})},
	{"NeighborSampling: edges not sorted by time", likely, batchBy(batchFault{inOrder: true})},
	{"NeighborSampling: earliest edges taken instead of the latest", likely, batchBy(batchFault{earliest: true})},
	{"NeighborSampling: latest edges include edges of zero bias", likely, batchBy(batchFault{lastAll: true})},
	{"NeighborSampling: weights ignored if the graph has times", likely, batchBy(batchFault{flat: true})},
	{"LABOR: random number per edge instead of per end point", likely, batchBy(batchFault{labor: laborFault{perEdge: true}})},
	{"LABOR: largest ratios of random number and weight taken", likely, batchBy(batchFault{labor: laborFault{largest: true}})},
	{"LABOR: random numbers of a hop reused in the next", likely, batchBy(batchFault{labor: laborFault{oneHop: true}})},
	{"LABOR: layer_dependency ignored", likely, batchBy(batchFault{labor: laborFault{ownHops: true}})},
	{"LABOR: relations with one source type do not share random numbers", likely, batchBy(batchFault{labor: laborFault{perRelation: true}})},
	{"LABOR: one of several parallel edges taken", likely, batchBy(batchFault{labor: laborFault{simple: true}})},
	{"LABOR: weights ignored", likely, batchBy(batchFault{labor: laborFault{flat: true}})},
	{"LABOR: random numbers multiplied by weights", likely, batchBy(batchFault{labor: laborFault{product: true}})},
	{"LABOR: Poisson sampling limited to the fan-out", likely, batchBy(batchFault{labor: laborFault{capped: true}})},
	{"LABOR: Poisson sampling counts excluded edges in the degree", likely, batchBy(batchFault{labor: laborFault{gross: true}})},
}

// The parameters of kernels: structs of fields of 8 bytes, passed by value. go test ./kernels -write mirrors them in
// kernels/args.go. The host owns all arrays; const ones are not written while a kernel runs. A missing array is 0.
#pragma once
#include "core/types.cuh"

namespace nd {

// Graph is a graph in device memory. The plan determines which of the layouts exist.
struct Graph {
  const u64* indptr;       // V+1
  const u32* indices;      // E+1, None after the last edge
  const Quad* packed;      // the rows of four vertices in 16 bytes; see graph/packed.cuh
  const Quad* wide;        // per edge the end point and its row; see graph/wide.cuh
  const Quad* alias;       // per edge its slot of the alias table: end point, other end point, threshold, other place
  const Quad* wide_alias;  // two per edge: the slot with both end points' rows; see graph/wide.cuh
  const u32* biases;       // per edge
  const i32* labels;       // per edge
  const u64* ids;          // per edge its id, of id_size bytes; 0: ids are positions
  const u64* label_rows;   // V*label_kinds+1: the begin of a vertex's edges with a label in the two arrays below
  const u32* label_indices;
  const u32* label_positions;
  const u32* bloom;              // a bitmap of the edges; see graph/edgeset.cuh
  const f64* weights;            // per edge, for users' hooks
  const f64* largest;            // per vertex its largest weight
  const f64* prefix;             // per edge the sum of the weights of its row up to it
  const u64* totals;             // per vertex the sum of its edges' biases
  const u64* segments;           // per 32 edges the sum of the biases before them in the row; see graph/segments.cuh
  u64 vertices, edges, id_size;  // id_size: 4 or 8
  u64 label_kinds;               // labels are 0 .. label_kinds-1 in device memory
  u64 bloom_mask;                // the number of words of the bitmap, less 1
  u64 mirrored;                  // 1 if every edge has its mirror, else 0
  const Quad* packed_labels;     // the begin of each vertex's edges of each label; see graph/packedlabels.cuh
  const Quad* slim;              // the end points of edges in 25 bits, five in 16 bytes; see graph/slim.cuh
  const u32* biased;             // per vertex the number of its edges with a positive bias
  const Quad* reach;             // per vertex; see graph/reach.cuh. 0: every share is 1
  const i64* times;              // per edge
  const u64* bias_sums;          // E+1: the sum of the biases of all edges before each, modulo 2^64
  const u32* bias_counts;        // E+1: the number of positive biases before each edge, modulo 2^32
  const Quad* temporal;          // rows in order of time; see graph/temporalrows.cuh
  const u32* temporal_places;
  const u64* decay;
  const u64* gathered;  // per vertex its degree, and the begin of its row if it is there; see graph/gatheredrows.cuh
  u32* wanted;          // a bitmap of the vertices whose rows are not there and were read
  u32* missed;          // per thread of the grid: 1 if it has read such a row
};

// Batch is the samples of a launch: the rows from ... rows-1 or, with a list, the rows at its places from ... rows-1.
struct Batch {
  const u32* roots;        // of all rows of the run, `width` per row; 0: the number of the row in the run
  const u32* alive;        // the list; 0: all rows
  const u64* alive_count;  // the length of the list, if the host does not know it; else 0
  u64 rows;                // the end of the launch
  u64 row;                 // the number of row 0 within the run
  u64 repeat;              // rows per root
  u64 width;               // roots per sample
  u64 first;               // the sample id of the run's first row
  u64 stream;              // rng.NewStream(seed, Choices)
  u64 from;                // the begin of the launch
};

// Trace is the output of a launch: slot s of row r is at s*stride + r. If the launch has a list of rows, the columns of
// the trace are indexed by the place in the list, all other arrays by the row. An address is that of slot 0, even if a
// launch has memory for later slots only.
struct Trace {
  u32* vertices;  // 0: no trace
  i64* edges;     // the edge of step s in slot s; 0: no edges
  u32* lengths;   // steps taken so far, if samples differ in length or a launch leaves rows to another
  u32* ends;      // the present vertex of each row, if lengths differ or there is no trace
  u32* previous;  // the previous vertex of each row, likewise
  u64 stride;
  u64 begin, end;  // the steps to take: [begin, end)
  u32* alive;      // list of the rows that continue after end, or in another launch
  u64* alive_count;
};

// Walk is the parameter of all kernels of walks. The fields after the first three concern some apps only.
struct Walk {
  Graph g;
  Batch b;
  Trace t;
  u64 threshold;                             // PPR, MetaPath: stop; Jump, Restart: teleport; in units of 2^-32
  u64 most;                                  // the largest number of steps of a sample; 0: unbounded
  u64 back, near, away;                      // Node2Vec: biases of second order, in units of 2^-32
  u64 try_near, try_away;                    // Node2Vec with outliers: biases of tries
  u64 outlier_back, short_back, short_near;  // Node2Vec with outliers: as in selector.Outliers
  u64 bound;                                 // of computed biases
  const i32* path;                           // MetaPath: the labels, as kinds
  u64 path_length;
  u32* pool;  // pools: the sample's vertices, slot k of row r at k*stride + r
  u32* pool_previous;
  u64* queue;                  // of tasks; see driver/queue.cuh
  u64* counts;                 // per vertex its visits
  u64 home;                    // teleports lead to the root: 1, to any vertex: 0
  u64 lane_degree;             // computed biases: longer rows are weighed by several lanes
  u64 warp_rows;               // computed biases: the largest number of samples that a warp has at a time
  u64 short_path;              // MetaPath: a path of up to 8 labels below 256, 8 bits each, if path is 0
  u32* last_edges;             // TemporalWalk: per row its last edge as an index in temporal, None if it has ended
  const i64* time_limits;      // TemporalWalk: the three numbers of a TimeRange; see driver/temporalwalk.cuh
  u64 limit_stride, backward;  // 3 if each root has a TimeRange, 0 if all have one; 1 if times descend along the walk
};

// Draw is the parameter of the kernel that draws roots.
struct Draw {
  u32* to;
  u64 count, width;   // of roots; vertices of each
  u64 stream;         // rng.NewStream(seed, Roots)
  u64 first, repeat;  // the id of the first root's first sample; samples of each root
  u64 vertices;       // of the graph
};

// PageRank is the parameter of the kernels of personalised PageRank. A launch runs the parts begin ... end-1; a part is
// RankPart walks of one row. See driver/pagerank.cuh.
struct PageRank {
  Graph g;
  const u32* seed_nodes;  // per row; with sets, the members of all sets
  const u64* set_rows;    // rows+1: the begin of each row's set; 0: a row has one seed node
  const Quad* set_alias;  // the alias tables of the sets; 0: members have equal weights
  const u64* walks;       // per row the number of walks
  const u32* parts;       // rows+1: the number of parts before each row
  u64 rows;
  u64 begin, end;  // the parts of this launch
  u64 stream;      // rng.NewStream(seed, Scores)
  u64 first;       // the id of row 0
  u64 threshold;   // stop, in units of 2^-32
  u64 restarts;    // at sinks: 1, or 0 if walks end there
  u64* table;      // slots of two words per row: the vertex plus 1, or 0; visits and, in the upper half, walks
  u64 slots;       // per row
  u32* full;       // set to 1 if a row needs more slots
  u64* found;      // the number of entries gathered so far
  u64* from;       // per row the begin of its entries in the three arrays below
  u32* sizes;      // per row the number of its entries
  u32* vertices;
  u32* visits;    // how often the walks of the row visit the vertex
  u32* visitors;  // how many walks of the row visit it
};

// StepChunks is the parameter of the kernels that compact samples of different lengths. A chunk is the trace of one
// launch: the steps [begin, end) of all rows, or of the rows of a list. See driver/stepchunks.cuh.
struct StepChunks {
  Batch b;
  const u32* lengths;   // steps of each row
  const u32* vertices;  // the chunk's trace: step s of its row number i at (s-begin)*stride + i
  const i64* edges;     // likewise; 0: no edges
  u64 stride;
  u64 begin, end;
  i64* offsets;  // rows+1: the begin of each sample, whose first vertices are its roots
  i64* sums;     // sums of lengths, see driver/sampleoffsets.cuh
  u32* to_vertices;
  i64* to_edges;  // -1 at roots
  u64 capacity;   // of to_vertices, in vertices
};

// Build is the parameter of the kernels that build layouts from g: the elements begin ... end-1, see graph/build.cuh.
struct Build {
  Graph g;
  Quad* quads;
  u64* offsets;
  u32* words;
  u32* positions;
  f64* weights;
  f64* largest;
  f64* prefix;
  u64* segments;
  const i16* scales;  // per vertex its scale, as in graph.Graph
  const i32* kinds;   // the labels that occur, ascending: g.label_kinds of them
  u64 begin, end;
};

// PartitionedWalk is the parameter of the kernels of partitioned walks: walkers are stored by the partition of their
// vertex, the vertices v with one v >> shift, in any order within it. See driver/partitionedwalk.cuh.
struct PartitionedWalk {
  Graph g;
  Batch b;
  const u64* walkers_at;  // the vertex and row of each walker, before the step
  u64* to_walkers;        // the same after the step; the host exchanges the two sets of arrays
  const u32* sizes;       // the walkers of each partition; every SizeStride-th element is used
  u32* to_sizes;          // the same after the step
  u32* recounted;         // the same after the step, counted again because of an overflow
  const u32* firsts;      // the begin of each partition in walkers_at
  u32* to_firsts;         // partitions+1: the begin of each partition in to_walkers, and its end
  u32* tiles;             // per partition the number of tiles before it, then the number of all
  u32* overflow;          // 1 if a partition exceeded its capacity
  u64* counts;            // per vertex its visits
  u32* ends;              // per row the vertex at which it ends; 0: not written
  u64 walkers;            // the number of rows
  u64 step;
  u64 shift;
};

// Tree is the parameter of the kernels of trees: the picks of the transits begin ... end-1 of a step, for the rows
// from ... rows-1. Slot s of row r is at s*stride + r; a transit's picks are adjacent slots. See driver/tree.cuh.
struct Tree {
  Graph g;
  Batch b;
  u32* vertices;
  i64* edges;  // 0: no edges; slots count from the first one after the roots
  u64 stride;
  u64 step;
  u64 transits;  // of a row, at this step; at step 0 they are the roots
  u64 slot;      // of the first transit; the picks follow the transits
  u64 fanout;    // picks of a transit
  u64 begin, end;
  u64 pieces;      // workers that share the picks of a transit
  u64 share;       // picks of a piece
  u64 across;      // the workers of a block are 2^across rows wide
  u64 units;       // units of work, each for a block
  u32* postponed;  // a bit per thread of every unit: its choice is left to postponed_choices
  // Per block of long_choices, for choices of `fanout` picks:
  u32* long_numbers;  // 3*fanout: the draws, the parents and the picks
  u64* long_table;    // 2*fanout
  u64* leaf_sums;     // of `leaves` leaves; see selector/leafsums.cuh
  u64 leaves;
  // In transit order, see driver/transit.cuh:
  const u64* sorted;        // the transits, as walkers, in the order of their vertices
  const u32* sorted_begin;  // the place of the first transit that makes picks
  const u32* sorted_end;    // the place after the last one
  u64 row_begin, row_end;   // of these transits, only the vertices row_begin ... row_end-1, whose rows are in g
  u32* ends;                // the end point of pick j of transit i at j*ends_stride + i
  i64* end_edges;           // the ids of the edges, likewise; 0: no edges
  u64 ends_stride;
};

// TransitOrder is the parameter of the kernels that put a launch of trees in transit order. See driver/transit.cuh.
struct TransitOrder {
  Tree t;
  PartitionedWalk p;  // the partitions; a transit is a walker, with its number in place of the row
  u32* tiles;         // per tile the end of each partition in the sorted tile, then the distance to its place in p
  u64 count;          // numbers of transits, including those that do not exist
};

// Step is one relation in one hop of the neighbour sampler. Edges lead to destination nodes, which a step expands.
struct Step {
  Graph g;
  u64 fanout;  // NoEdge: all edges
  u64 hop, relation;
  u64 destination, source;  // types
  u64 replace, weighted;    // 1 or 0
  u64 hubs;                 // 1 if long rows may be pushed to the queue
  u64 hop_begin;            // the first step of the hop: the frontier is the nodes known before it
  u64 frontier_begin;       // of these, only the nodes not known before this step; NoEdge: all
  const u64* excluded;      // the positions of excluded edges, ascending
  u64 excluded_count;
  const u64* excluded_sums;  // excluded_count+1: the sum of the biases of the excluded edges before each; 0: unweighted
  const u64* excluded_biased;  // the same for the number of positive biases
  u64 latest;                  // 1 if nodes take the last candidates; see driver/rangechoice.cuh
  u64 long_draws;              // 1 if draws are stored in device memory; see driver/longchoice.cuh
  u64 poisson;                 // 1 if the fan-out is an expected number; see driver/laborchoice.cuh
};

// NeighborSampler is the parameter of the kernels of the neighbour sampler, which draw several batches in one launch. A
// list is the nodes of a type and a batch: list type*batches + batch. See driver/neighborsampler.cuh.
struct NeighborSampler {
  const u64* given;  // host memory: the arrays steps ... seed_nodes, which the first phase copies to GPU memory
  const Step* steps;
  u64 given_words, step_count, types, relations, batches;
  const u64* batch_seeds;   // per batch its random seed
  const u64* seed_node_at;  // the begin of the seed nodes of batch b and type t is at b*types + t; then the end of all
  const u32* seed_nodes;
  const u64* vertices;  // per type the number of vertices
  u64 disjoint;         // 1 if each seed node is the root of a separate tree
  u64 pairs;            // 1 if edges are written as pairs, 0 if by destination
  u32* arrived;         // the counter of sync_grid, which all launches of a stream share
  u32* status;          // the phase of a fault plus 1; 0: none
  u32* known;           // before the first step, and after each, the number of nodes of each list
  u32* edge_at;         // per step the place at which each batch's edges begin, and their end: batches+1 numbers
  u32* frontier_at;     // per step the begin of its offsets; then the end of all
  u32* report;          // host memory: the fault, and copies of known and edge_at; see driver/nodes.cuh
  Quad* table;          // the id map; see driver/nodes.cuh
  u64 table_mask;       // the number of its 16-byte records, less 1
  u64 table_part;       // the number of records of a batch's part of the table, a power of two
  u64 table_stride;     // 0: the table is hashed; else it has that many numbers per tree and type
  u32* nodes;           // list l begins at l*node_capacity
  u32* trees;           // per node the number of its tree's seed node; 0: trees are not disjoint
  u64 node_capacity;
  u32* offsets;  // step by step: per frontier node its first edge within the batch, then the end
  u64 offset_capacity;
  u32* slots;      // per edge its source: the slot in the id map, or KnownNode and the local id
  u32* targets;    // per edge the local id of its destination; only for pairs
  u64* positions;  // per edge its position
  u64 edge_capacity;
  u64* sums;  // the sums of tiles, of frontier nodes and of edges; see driver/tiles.cuh
  u64 sum_capacity;
  u32* fresh;  // a bit per edge: it is the first that leads to its source; then a spare word
  u64* queue;  // tasks at hubs; 0: none
  u64 queue_slots;
  u64 hub_degree;          // the number of edges of a row that a block expands alone
  i64* arena;              // the result; see driver/compact.cuh
  u64 arena_capacity;      // in 64-bit numbers; an array that does not fit is not written
  const i64* tree_times;   // per seed node the time up to which its tree takes edges; 0: no relation has times
  const i64* tree_begins;  // per seed node the time from which on; 0: any time
  u64* pick_table;         // two numbers per edge, for long draws; 0: there are none
  u32* pick_parents;       // a number per edge, likewise
  u32* choice_counts;      // per node the number of edges that it takes in the step, by LABOR; 0: there are none
  u64* choice_picks;       // per node the address of its picks; 0: the complete row
  u32* picks;              // indices of edges in their rows
  u64 pick_capacity;
  u64* labor_counters;  // counters, then the rows that a step reads; see driver/laborselect.cuh
};

// Layered is the parameter of the kernels that make layered samples, one sample at a time per group of threads. A group
// has a workspace: element i of workspace w is at w*capacity + i, unless another length is given.
struct Layered {
  Graph g;
  Batch b;
  u64 capacity;      // vertices of a sample, and numbers that are drawn for it, for which a workspace has memory
  u64 end_capacity;  // elements of ends per workspace
  u64 table_mask;    // the number of slots of a workspace's vertex set, less 1
  u32* vertices;     // the sample
  u64* positions;    // of the edges that led to its vertices; NoEdge: none
  i32* parents;
  i32* ends;    // of its steps
  u64* table;   // the vertex set; see driver/vertexset.cuh
  u32* slots;   // of the vertices in the vertex set
  u64* drawn;   // of drawn numbers: the draws of Permute; see selector/permutelist.cuh
  u64* picks;   // the numbers that are picked
  u32* before;  // three arrays of Permute
  u32* attached;
  u32* trees;
  u64* arena;       // complete samples; see driver/staged.cuh
  u64 arena_words;  // the length of the arena in 64-bit words
  u64* counters;    // LayeredCounter of driver/layered.cuh
  u64* staged;      // per row the address of its sample; then the sizes of its parts
  u32* vertex_counts;
  u32* end_counts;
  u32* link_counts;
  u32* left;             // the rows that did not fit the workspace or the arena
  u64 edges;             // 1 if the edges that led to vertices are wanted
  u64 draws;             // numbers to draw per sample
  u64 replace;           // 1 if they are drawn with replacement
  u64 induced;           // 1 if the links are all edges between the vertices of a sample
  const u32* list_ends;  // clusters: the end of each list in list_members
  const u32* list_members;
  u64 lists;          // their number
  u64 depth;          // breadth-first: the largest number of levels after the roots; 0: unbounded
  u64 fanout;         // new neighbours per transit; NoEdge: all neighbours
  u64 burns;          // 1 if the number of new neighbours is drawn, by the threshold
  u64 threshold;      // in units of 2^-32
  u64 lanes;          // threads per transit if several are expanded together: a power of two up to 32; 0: one at a time
  u64 method;         // induced subgraphs: SaintMethod of app/induceddraws.cuh
  u64 roots, length;  // walks, or vertices of the frontier; steps per walk
  const u64* sums;    // sum_count+1: the prefix sums of biases, from 0
  u64 sum_count;
  const u64* edge_sums;  // of gathered rows: per edge the sum of the biases up to it; `sums` are those up to each row
  u64 ahead;             // gathered rows: 1 if a frontier asks for the rows of all of its vertices together
  u64 search_ratio;      // induced links: rows with more edges per vertex of the sample are searched, not scanned
  u64 step_size, most;   // collective steps: edges that a step takes; vertices of a sample after its roots
  u64 unique;            // 1 if the vertices of a step are distinct
  u64 bias;              // CollectiveBy of app/collectivesteps.cuh
  u64 top_scale;         // by weight: the largest of scales, as an i64
  const i16* scales;     // per vertex the unit of its weights
  u64* starts;           // two arrays of a workspace: the candidates of transits; see driver/neighborhood.cuh
  u64* leaf_sums;        // the sums of biases; see selector/leafsums.cuh
  u64 leaves;            // for which leaf_sums has memory
  u64 weighted;          // hops: 1 if choices follow biases
  u64 frontier;          // the largest number of vertices of a step that are expanded
  u64 hops;
  const u64* fanouts;       // of the hops; NoEdge: all edges
  const Quad* score_alias;  // per vertex: the alias table of scores; 0: batches are drawn uniformly
  const u32* score_biases;  // per vertex
  u64 scored;               // vertices with a positive score
  u64 values;               // 1 if links have values; else each value is 1
  const u64* sizes;         // importance layers: the size of each layer
  u64 layers;               // their number
  u64 by_row;               // 1 if the adjacency matrix is normalised by the sums of rows, 0 if symmetrically
  u64 normalize;            // 1 if the values of the links of each vertex are divided by their sum
  u64 total;                // the sum of the importances of all vertices
  f64* factors;             // in the workspace: per vertex of the sample that of the values of links to it
};

// Gathered is the parameter of the kernel that records copied rows; see graph/gatheredrows.cuh.
struct Gathered {
  u64* records;     // Graph::gathered
  const u64* rows;  // vertices or pages in the upper halves, and in the lower ones the positions where their rows begin
  u64 count;
};

// LayerParts is the parameter of the kernels that place staged samples in the result; see driver/layerparts.cuh.
struct LayerParts {
  Graph g;
  u64 rows;
  const u64* staged;  // as in Layered
  const u32* vertex_counts;
  const u32* end_counts;
  const u32* link_counts;
  const i64* offsets;  // rows+1 each: the begin of a row's vertices, ends and links
  const i64* ends_from;
  const i64* links_from;
  u64 vertices, ends, links;  // of all rows
  u32* to_vertices;
  i64* to_edges;  // 0: not wanted
  i32* to_parents;
  i32* to_ends;
  i32* to_sources;
  i32* to_targets;
  i64* to_link_edges;
  f64* to_values;
  u64 values;  // as in Layered
};

}  // namespace nd

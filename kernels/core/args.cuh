// The parameters of kernels, one struct by value each, mirrored in Go (kernels/args.go); a test holds the
// layouts together. Addresses of what is not there are 0. Every field has 8 bytes.
#pragma once
#include "core/types.cuh"

namespace nd {

// Graph is a graph on the card. Which of the layouts are there follows from the plan.
struct Graph {
  const u64* indptr;       // V+1
  const u32* indices;      // E+1, behind the last edge None
  const Quad* packed;      // the rows of four vertices in 16 bytes; see graph/packed.cuh
  const Quad* wide;        // for each edge its end point with that one's row; see graph/wide.cuh
  const Quad* alias;       // for each edge its slot of the alias table: end point, the other's, threshold, the other's place
  const Quad* wide_alias;  // two for each edge: the slot with both end points' rows; see graph/wide.cuh
  const u32* biases;       // for each edge
  const i32* labels;       // for each edge
  const u64* ids;          // for each edge its id, of id_size bytes; 0: the position
  const u64* label_rows;   // V*label_kinds+1: where the edges of a vertex with a label begin in the two below
  const u32* label_indices;
  const u32* label_positions;
  const u32* bloom;        // a bitmap of the edges; see graph/edgeset.cuh
  const f64* weights;      // for each edge, for users' hooks
  const f64* largest;      // for each vertex
  const f64* prefix;       // for each edge
  u64 vertices, edges;
  u64 id_size;             // 4 or 8
  u64 label_kinds;         // labels are 0 .. label_kinds-1 on the card
  u64 bloom_mask;          // the number of its words, less 1
  u64 mirrored;            // whether every edge has its mirror: 1 or 0
  const Quad* packed_labels;  // where each vertex's edges of each label begin; see graph/packedlabels.cuh
  const Quad* slim;           // the end points of edges in 25 bits, five in 16 bytes; see graph/slim.cuh
  const u32* biased;          // for each vertex the number of its edges that have a bias
};

// Batch says which samples a launch makes: rows from ... rows-1, or those on places from ... rows-1 of a list.
struct Batch {
  const u32* roots;        // of all rows of the run, width for each; 0: the row's number
  const u32* alive;        // the list; 0: all rows
  const u64* alive_count;  // how long it is, where the host does not know; 0: it does
  u64 rows;                // where the launch ends
  u64 row;                 // what to add to a row for its number in the run
  u64 repeat;              // rows of each root
  u64 width;               // roots of a sample
  u64 first;               // the id of the run's row 0
  u64 stream;              // rng.NewStream(seed, Choices)
  u64 from;                // where the launch begins
};

// Trace is where a launch writes: slot s of row r at s*stride + r. Where a launch has a list of rows, its columns go by
// the place in the list, and all else by the row. The addresses are those that slot 0 would have.
struct Trace {
  u32* vertices;  // 0: no trace is wanted
  i64* edges;     // the edge of step s in slot s; 0: not wanted
  u32* lengths;   // of samples that differ in length, and of rows that a launch leaves to another: steps taken so far
  u32* ends;      // of such, or where no trace is wanted: the vertex that a row is at
  u32* previous;  // and the one before
  u64 stride;
  u64 begin, end;  // the steps to take: [begin, end)
  u32* alive;      // room for a list of the rows that go on: behind end, or in another launch
  u64* alive_count;
};

// Walk is the parameter of every kernel that walks. The last fields are the app's own.
struct Walk {
  Graph g;
  Batch b;
  Trace t;
  u64 threshold;         // PPR, MetaPath: stop; Jump, Restart: leap; in units of 2^-32
  u64 most;              // steps of a sample at most; 0: no end
  u64 back, near, away;  // Node2Vec: biases of second order, in units of 2^-32
  u64 bound;             // of computed biases
  const i32* path;       // MetaPath: the labels, as numbers of the card's kinds
  u64 path_length;
  u32* pool;             // pools: the sample's vertices, slot k of row r at k*stride + r
  u32* pool_previous;
  u64* queue;            // of tasks; see driver/queue.cuh
  u64* counts;           // for each vertex, where visits are counted
  u64 home;              // leaps lead to the root: 1, to any vertex: 0
  u64 lane_degree;       // computed biases: a row that is longer is weighed by a warp
  u64 warp_rows;         // how many samples a warp has at a time
  u64 short_path;        // MetaPath: a path of up to 8 labels below 256, 8 bits each, where there is no address
};

// Draw is the parameter of the kernel that draws roots.
struct Draw {
  u32* to;
  u64 count, width;  // of roots; vertices of each
  u64 stream;        // rng.NewStream(seed, Roots)
  u64 first;         // the id of the first root's first sample
  u64 repeat;        // samples of each root
  u64 vertices;      // of the graph
};

// PageRank is the parameter of the kernels of personalised PageRank. A launch takes some of the parts of rows: a part is
// RankPart walks of one row; see driver/pagerank.cuh.
struct PageRank {
  Graph g;
  const u32* seeds;       // of each row; with sets, the members of all sets
  const u64* set_rows;    // rows+1: where the members of each row's set begin; 0: a row has one seed
  const Quad* set_alias;  // the alias tables of the sets; 0: members have equal weights
  const u64* walks;       // of each row
  const u32* parts;       // rows+1: the parts before each row
  u64 rows;
  u64 begin, end;         // the parts of this launch
  u64 stream;             // rng.NewStream(seed, Scores)
  u64 first;              // the id of row 0
  u64 threshold;          // stop, in units of 2^-32
  u64 restarts;           // at sinks: 1, or 0 if walks end there
  u64* table;             // slots of two words for each row: the vertex plus 1, or 0; visits and, in the upper half, walks
  u64 slots;              // of a row
  u32* full;              // set to 1 if a row needs more
  u64* found;             // the entries gathered so far
  u64* from;              // of each row: where its entries begin in the arrays below
  u32* sizes;             // of each row: their number
  u32* vertices;
  u32* visits;
  u32* visitors;
};

// StepChunks is the parameter of the kernels that lay samples of different length one behind the other. A leg is what one
// launch has written of them: the steps [begin, end) of all rows, or of those on a list.
struct StepChunks {
  Batch b;
  const u32* lengths;   // steps of each row
  const u32* vertices;  // the leg's trace: step s of its row number i at (s-begin)*stride + i
  const i64* edges;     // likewise; 0: not wanted
  u64 stride;
  u64 begin, end;
  i64* offsets;         // rows+1: where each sample begins, roots included
  i64* sums;            // of the lengths of some rows each, sums of those, and the total; see driver/sampleoffsets.cuh
  u32* to_vertices;
  i64* to_edges;        // -1 at roots
  u64 room;             // vertices that there is room for
};

// Build is the parameter of the kernels that make a graph's layouts: from g, of elements begin ... end-1. What the
// elements are (vertices, edges, groups of vertices) and which of the outputs are written, each kernel says.
struct Build {
  Graph g;
  Quad* quads;
  u64* offsets;
  u32* words;
  u32* positions;
  f64* weights;
  f64* largest;
  f64* prefix;
  const i16* scales;  // for each vertex, as graph.Graph has them
  const i32* kinds;   // the labels that occur, ascending: g.label_kinds of them
  u64 begin, end;
};

// PartitionedWalk is the parameter of the kernels that walk in the order of the vertices: walkers lie by the partition that their
// vertex is in, the vertices v with one v >> shift, in any order within it. See driver/partitionedwalk.cuh.
struct PartitionedWalk {
  Graph g;
  Batch b;
  const u64* walkers_at;  // vertex and row of each
  u64* to_walkers;        // the same, a step later
  const u32* sizes;       // walkers in each partition; one in SizeStride elements is used
  u32* to_sizes;
  u32* recounted;         // likewise, where to_walkers had too little room
  const u32* firsts;      // where each partition begins
  u32* to_firsts;         // and the end of the last: the room of each
  u32* tiles;             // tiles before those of each partition, and their number
  u32* overflow;          // whether a partition had too little room
  u64* counts;            // visits of each vertex
  u32* ends;              // of each row, the vertex where it ends; 0: not wanted
  u64 walkers;            // rows
  u64 step;
  u64 shift;
};

// Choices is the parameter of the kernels that make single choices, for tests: of driver/choices.cuh.
struct Choices {
  Graph g;
  const u64* keys;      // of each choice
  const u32* vertices;  // whose row is chosen from, or how many candidates there are
  const u32* takes;     // how many are to be taken
  u32* picks;           // of choice i from i*room on
  u32* ends;            // their end points
  u32* got;             // how many were taken
  u64 count, room;
  u64 selector;         // 0 Permute, 1 of a lane, 2 Uniform, 3 Successive, 4 Alias
};

// Step is what one relation does in one hop of mini-batches.
struct Step {
  Graph g;
  u64 fanout;  // NoEdge: all edges
  u64 hop, relation;
  u64 destination, source;  // types
  u64 replace, weighted;    // 1 or 0
  u64 hubs;                 // long rows may be left to the queue: 1 or 0
  u64 hop_begin;            // the first step of its hop: the nodes that are known before it are due
  u64 frontier_begin;            // of those, only what was not known before this step; NoEdge: all
  const u64* excluded;      // the positions of edges that are left out, ascending
  u64 excluded_count;
};

// Neighborhood is the parameter of the kernels that sample mini-batches, several in one launch. Nodes and seeds have a
// list for each type and batch: list type*batches + batch. See driver/neighborhood.cuh.
struct Neighborhood {
  const Step* steps;
  u64 step_count, types, relations, batches;
  const u64* words;      // the seed of each batch
  const u64* seed_at;    // where the seeds of batch b and type t begin: at b*types + t, and the end of all
  const u32* seeds;
  const u64* vertices;   // of each type
  u64 disjoint;          // each seed is the root of a tree of its own: 1 or 0
  u64 pairs;             // edges are laid as pairs: 1, by destination: 0
  u32* arrived;          // of sync_grid
  u32* status;           // what went wrong: NeighborhoodFault
  u32* known;            // for each step, and before the first, the nodes of each list
  u32* edge_at;          // for each step where each batch's edges begin, and their end: batches+1 numbers
  u32* frontier_at;           // where each step's offsets begin, and the end of all
  u32* report;           // the host's copy of status, known and edge_at, one behind the other
  Quad* table;           // of the nodes; see driver/nodes.cuh
  u64 table_mask;
  u64 table_part;        // records that a batch's nodes are spread over, a power of two
  u32* nodes;            // list l begins at l*node_room
  u32* trees;            // beside nodes: the number of the tree's seed among all; 0: trees are not disjoint
  u64 node_room;
  u32* offsets;          // of the edges of each node that is due, within its batch's, and their end; step behind step
  u64 offset_room;
  u32* slots;            // of each edge: where its source is in the table
  u32* targets;          // of each edge: its destination's number; only for pairs
  u64* positions;        // of each edge
  u64 edge_room;
  u64* sums;             // of tiles of due nodes, and of edges
  u64 sum_room;
  u32* fresh;            // bits of the edges that are the first to lead to their ends, by tiles
  u64* queue;            // of work at hubs; 0: there is none
  u64 queue_slots;
  u64 hub_degree;        // edges of a row that a block does by itself
  i64* arena;            // where the results are laid; see driver/compact.cuh
  u64 arena_room;        // numbers: what does not fit is not laid
};

}  // namespace nd

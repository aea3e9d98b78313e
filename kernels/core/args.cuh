// The parameters of kernels, each one struct by value. kernels/args.go mirrors them: go test ./kernels -write generates
// it from this file. Every field has 8 bytes. A missing array has the address 0.
#pragma once
#include "core/types.cuh"

namespace nd {

// Graph is a graph in device memory. The plan decides which of the layouts are there.
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
  const u64* label_rows;   // V*label_kinds+1: where the edges of a vertex with a label begin in the two below
  const u32* label_indices;
  const u32* label_positions;
  const u32* bloom;        // a bitmap of the edges; see graph/edgeset.cuh
  const f64* weights;      // per edge, for users' hooks
  const f64* largest;      // per vertex
  const f64* prefix;       // per edge
  u64 vertices, edges;
  u64 id_size;             // 4 or 8
  u64 label_kinds;         // labels are 0 .. label_kinds-1 in device memory
  u64 bloom_mask;          // the number of its words, less 1
  u64 mirrored;            // 1 if every edge has its mirror, else 0
  const Quad* packed_labels;  // where each vertex's edges of each label begin; see graph/packedlabels.cuh
  const Quad* slim;           // the end points of edges in 25 bits, five in 16 bytes; see graph/slim.cuh
  const u32* biased;          // per vertex the number of its edges with a positive bias
};

// Batch is the samples of a launch: the rows from ... rows-1, or the rows that a list has at the places from ...
// rows-1.
struct Batch {
  const u32* roots;        // of all rows of the run, width for each; 0: the row's number
  const u32* alive;        // the list; 0: all rows
  const u64* alive_count;  // its length, if the host does not know it; else 0
  u64 rows;                // the end of the launch
  u64 row;                 // the run's number of row 0
  u64 repeat;              // rows of each root
  u64 width;               // roots of a sample
  u64 first;               // the id of the run's row 0
  u64 stream;              // rng.NewStream(seed, Choices)
  u64 from;                // the begin of the launch
};

// Trace is what a launch writes: slot s of row r at s*stride + r. If the launch has a list of rows, the columns of the
// trace are indexed by the place in the list, all other arrays by the row. The addresses are those that slot 0 would
// have.
struct Trace {
  u32* vertices;  // 0: no trace
  i64* edges;     // the edge of step s in slot s; 0: no edges
  u32* lengths;   // steps taken so far, if samples differ in length or a launch leaves rows to another
  u32* ends;      // the vertex that a row is at, if lengths differ or there is no trace
  u32* previous;  // and the previous vertex
  u64 stride;
  u64 begin, end;  // the steps to take: [begin, end)
  u32* alive;      // list of the rows that continue after end, or in another launch
  u64* alive_count;
};

// Walk is the parameter of every kernel that walks. The fields after the first three belong to single apps.
struct Walk {
  Graph g;
  Batch b;
  Trace t;
  u64 threshold;         // PPR, MetaPath: stop; Jump, Restart: teleport; in units of 2^-32
  u64 most;              // steps of a sample at most; 0: no end
  u64 back, near, away;  // Node2Vec: biases of second order, in units of 2^-32
  u64 bound;             // of computed biases
  const i32* path;       // MetaPath: the labels, as kinds
  u64 path_length;
  u32* pool;             // pools: the sample's vertices, slot k of row r at k*stride + r
  u32* pool_previous;
  u64* queue;            // of tasks; see driver/queue.cuh
  u64* counts;           // per vertex its visits
  u64 home;              // teleports lead to the root: 1, to any vertex: 0
  u64 lane_degree;       // computed biases: a row that is longer is weighed by a warp
  u64 warp_rows;         // samples that a warp has at a time
  u64 short_path;        // MetaPath: a path of up to 8 labels below 256, 8 bits each, if path is 0
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

// PageRank is the parameter of the kernels of personalised PageRank. A launch takes some parts of rows: a part is
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

// StepChunks is the parameter of the kernels that compact samples of different lengths. A chunk is what one launch has
// written of them: the steps [begin, end) of all rows, or of the rows of a list. See driver/stepchunks.cuh.
struct StepChunks {
  Batch b;
  const u32* lengths;   // steps of each row
  const u32* vertices;  // the chunk's trace: step s of its row number i at (s-begin)*stride + i
  const i64* edges;     // likewise; 0: no edges
  u64 stride;
  u64 begin, end;
  i64* offsets;         // rows+1: where each sample begins, roots included
  i64* sums;            // sums of lengths, see driver/sampleoffsets.cuh
  u32* to_vertices;
  i64* to_edges;        // -1 at roots
  u64 capacity;         // of to_vertices, in vertices
};

// Build is the parameter of the kernels that build a graph's layouts: from g, the elements begin ... end-1. Each kernel
// documents what its elements are (vertices, edges, groups of vertices) and which outputs it writes.
struct Build {
  Graph g;
  Quad* quads;
  u64* offsets;
  u32* words;
  u32* positions;
  f64* weights;
  f64* largest;
  f64* prefix;
  const i16* scales;  // per vertex, as graph.Graph has them
  const i32* kinds;   // the labels that occur, ascending: g.label_kinds of them
  u64 begin, end;
};

// PartitionedWalk is the parameter of the kernels of partitioned walks: walkers are stored by the partition of their
// vertex, the vertices v with one v >> shift, in any order within it. See driver/partitionedwalk.cuh.
struct PartitionedWalk {
  Graph g;
  Batch b;
  const u64* walkers_at;  // vertex and row of each
  u64* to_walkers;        // the same, a step later
  const u32* sizes;       // walkers in each partition; every SizeStride-th element is used
  u32* to_sizes;
  u32* recounted;         // likewise, after an overflow
  const u32* firsts;      // where each partition begins
  u32* to_firsts;         // partitions+1: the next ones
  u32* tiles;             // tiles before those of each partition, and their number
  u32* overflow;          // 1 if a partition had too little room
  u64* counts;            // visits of each vertex
  u32* ends;              // per row the vertex where it ends; 0: not written
  u64 walkers;            // rows
  u64 step;
  u64 shift;
};

// Step is one relation in one hop of mini-batches.
struct Step {
  Graph g;
  u64 fanout;  // NoEdge: all edges
  u64 hop, relation;
  u64 destination, source;  // types
  u64 replace, weighted;    // 1 or 0
  u64 hubs;                 // 1 if long rows may be pushed to the queue
  u64 hop_begin;            // the first step of its hop: the frontier is the nodes known before it
  u64 frontier_begin;            // of those, only the nodes not known before this step; NoEdge: all
  const u64* excluded;      // the positions of excluded edges, ascending
  u64 excluded_count;
};

// NeighborSampler is the parameter of the kernels that sample mini-batches, several in one launch. Nodes and seeds have a
// list for each type and batch: list type*batches + batch. See driver/neighborsampler.cuh.
struct NeighborSampler {
  const Step* steps;
  u64 step_count, types, relations, batches;
  const u64* words;      // the seed of each batch
  const u64* seed_at;    // where the seeds of batch b and type t begin: at b*types + t, and the end of all
  const u32* seeds;
  const u64* vertices;   // of each type
  u64 disjoint;          // 1 if each seed is the root of a separate tree
  u64 pairs;             // edges are written as pairs: 1, by destination: 0
  u32* arrived;          // of sync_grid
  u32* status;           // the phase of a fault plus 1; 0: none
  u32* known;            // for each step, and before the first, the nodes of each list
  u32* edge_at;          // for each step where each batch's edges begin, and their end: batches+1 numbers
  u32* frontier_at;           // where each step's offsets begin, and the end of all
  u32* report;           // the host's copy of status, known and edge_at, consecutive
  Quad* table;           // of the nodes; see driver/nodes.cuh
  u64 table_mask;
  u64 table_part;        // records of a batch's part of the table, a power of two
  u32* nodes;            // list l begins at l*node_capacity
  u32* trees;            // beside nodes: the number of the tree's seed; 0: trees are not disjoint
  u64 node_capacity;
  u32* offsets;          // per frontier node its first edge within its batch, and the end; step by step
  u64 offset_capacity;
  u32* slots;            // of each edge: its source's slot in the table
  u32* targets;          // of each edge: its destination's number; only for pairs
  u64* positions;        // of each edge
  u64 edge_capacity;
  u64* sums;             // of tiles of frontier nodes, and of edges: see driver/tiles.cuh
  u64 sum_capacity;
  u32* fresh;            // a bit per edge, by tiles: it is the first to lead to its source
  u64* queue;            // of tasks at hubs; 0: none
  u64 queue_slots;
  u64 hub_degree;        // edges of a row that a block does by itself
  i64* arena;            // the result; see driver/compact.cuh
  u64 arena_capacity;        // in numbers; an array that does not fit is not written
};

}  // namespace nd

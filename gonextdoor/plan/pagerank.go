package plan

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
)

// Scores is a request for personalised PageRank: what an engine needs to count the visits of every row.
type Scores struct {
	App     *app.PageRank // bound to the graph
	Graph   *graph.Graph
	From    app.Personalization
	Walks   []int64 // of each row; a row of 0 walks has no entry
	TopK    int     // entries of a row to keep, those of the highest score; 0: all
	Seed    uint64
	First   uint64 // the id of row 0
	Threads int
}

// PageRankPiece is how many walks of one row a thread advances together; their steps fit the second-level cache.
const PageRankPiece = 2048

// PageRankRows is how many rows a thread takes at a time.
const PageRankRows = 16

const (
	// RankSlots is how many slots the tables of the rows that a GPU counts at a time have together: 28 bytes each.
	RankSlots = 1 << 26
	// RankLeastStop is the least stop probability on a GPU, which walks the end of a very long walk again at each step.
	RankLeastStop = 0.01
)

package plan

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
)

// Scores is a request for personalised PageRank: the arguments with which an engine counts the visits of every row.
type Scores struct {
	App     *app.PageRank // bound to the graph
	Graph   *graph.Graph
	From    app.Personalization // the seed nodes of each row
	Walks   []int64             // of each row; a row of 0 walks has no entry
	TopK    int                 // the number of entries of a row to keep, those with the highest scores; 0: all
	Seed    uint64
	First   uint64 // the id of row 0
	Threads int
}

// PageRankPiece is the number of walks of one row that a thread advances together. Their steps fit in the L2 cache.
const PageRankPiece = 2048

// PageRankRows is the number of rows that a thread takes at a time.
const PageRankRows = 16

const (
	// RankSlots is the total number of slots, of 28 bytes each, in the tables of the rows that a GPU counts at a time.
	RankSlots = 1 << 26
	// RankLeastStop is the smallest stop probability on a GPU, which repeats the end of a very long walk at each step.
	RankLeastStop = 0.01
)

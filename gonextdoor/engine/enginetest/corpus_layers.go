package enginetest

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
)

func layerApps() []entry {
	some := []int{1, 3}
	return []entry{
		{&app.FastGCN{Sizes: []int{70, 6}, Replace: true}, some, ""},
		{&app.FastGCN{Sizes: []int{4, 5}, Normalization: graph.RowNorm}, some, ""},
		{&app.LADIES{Sizes: []int{7, 20}, Normalize: true}, some, ""},
		{&app.LADIES{Sizes: []int{9, 3, 4}, Replace: true, Normalization: graph.RowNorm}, some, ""},
	}
}

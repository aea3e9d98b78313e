package enginetest

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph/index"
)

func layerApps() []entry {
	some := []int{1, 3}
	return []entry{
		{&app.FastGCN{Sizes: []int{70, 6}, Replace: true}, some, ""},
		{&app.FastGCN{Sizes: []int{4, 5}, Normalization: index.RowNorm}, some, ""},
		{&app.LADIES{Sizes: []int{7, 20}, Normalize: true}, some, ""},
		{&app.LADIES{Sizes: []int{9, 3, 4}, Replace: true, Normalization: index.RowNorm}, some, ""},
		{&app.Layer{StepSize: 7, MaxSize: 30, Unique: true}, some, ""},
		{&app.Layer{StepSize: 40, MaxSize: 60}, []int{3}, ""},
		{&app.Layer{StepSize: 12, MaxSize: 20, Unique: true, Bias: app.ByDegree}, []int{3}, ""},
		{&app.Layer{StepSize: 3, MaxSize: 8, Bias: app.ByDegree}, []int{1}, ""},
		{&app.MVS{Batch: 5, Fanouts: []int{3, app.All}}, []int{0}, ""},
		{&app.MVS{Batch: 300, Fanouts: []int{1}}, []int{0}, ""},
	}
}

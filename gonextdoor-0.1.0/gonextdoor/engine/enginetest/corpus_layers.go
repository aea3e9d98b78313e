package enginetest

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph/index"
)

func layerApps() []entry {
	some := []int{1, 3}
	return []entry{
		{&apps.FastGCN{Sizes: []int{70, 6}, Replace: true}, some, ""},
		{&apps.FastGCN{Sizes: []int{4, 5}, Normalization: index.RowNorm}, some, ""},
		{&apps.LADIES{Sizes: []int{7, 20}, Normalize: true}, some, ""},
		{&apps.LADIES{Sizes: []int{9, 3, 4}, Replace: true, Normalization: index.RowNorm}, some, ""},
		{&apps.Layer{StepSize: 7, MaxSize: 30, Unique: true}, some, ""},
		{&apps.Layer{StepSize: 40, MaxSize: 60}, []int{3}, ""},
		{&apps.Layer{StepSize: 12, MaxSize: 20, Unique: true, Bias: app.ByDegree}, []int{3}, ""},
		{&apps.Layer{StepSize: 3, MaxSize: 8, Bias: app.ByDegree}, []int{1}, ""},
		{&apps.MVS{Batch: 5, Fanouts: []int{3, app.All}}, []int{0}, ""},
		{&apps.MVS{Batch: 300, Fanouts: []int{1}}, []int{0}, ""},
	}
}

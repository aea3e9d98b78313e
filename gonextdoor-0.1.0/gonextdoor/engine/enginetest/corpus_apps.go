package enginetest

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
)

// entry is an app of the corpus, with the number of vertices per root.
type entry struct {
	app    app.App
	widths []int
	name   string // for an app whose parameters are functions
}

func corpus() []entry {
	one, some := []int{1}, []int{1, 3}
	all := []entry{
		{&apps.DeepWalk{Length: 0}, one, ""},
		{&apps.DeepWalk{Length: 17}, one, ""},
		{&apps.DeepWalk{Length: 6, Weighted: app.No}, one, ""},
		{&apps.PPR{Stop: 0.2}, one, ""},
		{&apps.PPR{Stop: 0.05, MaxLength: 9, Weighted: app.No}, one, ""},
		{&apps.PPR{Stop: 1}, one, ""},
		{&apps.PPR{Stop: 0.03}, one, ""},
		{&apps.PPR{Stop: 0.3, MaxLength: 1}, one, ""},
		{&apps.Node2Vec{P: 2, Q: 0.5, Length: 11}, one, ""},
		{&apps.Node2Vec{P: 0.25, Q: 4, Length: 7, Weighted: app.No}, one, ""},
		{&apps.Node2Vec{P: 0.25, Q: 4, Length: 7}, one, ""},
		{&apps.Node2Vec{P: 1, Q: 1, Length: 4}, one, ""},
		{&apps.Node2Vec{P: 1 << 20, Q: 1 << 19, Length: 5}, one, ""},
		{&apps.Node2Vec{P: 1.0 / (1 << 16), Q: 1, Length: 5}, one, ""},
		{&apps.KHop{Fanouts: []int{}}, some, ""},
		{&apps.KHop{Fanouts: []int{4, 3}}, some, ""},
		{&apps.KHop{Fanouts: []int{2, 2, 2}, Weighted: app.No}, one, ""},
		{&apps.KHop{Fanouts: []int{70}}, one, ""},
		{&apps.KHop{Fanouts: []int{11, 2}, Weighted: app.No}, some, ""},
		{&apps.KHop{Fanouts: []int{20}}, some, ""},
		{&apps.KHop{Fanouts: []int{40, 1}}, one, ""},
		{&apps.KHop{Fanouts: []int{5, 2}, Replace: true}, some, ""},
		{&program.Custom{StepProgram: program.StepProgram{Steps: 5, EdgeBias: degree}}, one, "by degree"},
	}
	all = append(append(all, hooked()...), grown()...)
	all = append(all, walks()...)
	return append(append(all, layerApps()...), subgraphs()...)
}

// degree is an EdgeBias by degree.
func degree(c *program.Ctx, _ uint64, dst uint32) uint64 { return c.Graph.Degree(dst) }

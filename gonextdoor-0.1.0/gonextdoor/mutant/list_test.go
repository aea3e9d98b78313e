package mutant

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/app/program"
)

// families has the faults that the file of an app adds by its init function, with its entry in sound.
var families [][]mutant

// mutants returns all faults of the definitions of apps.
func mutants() []mutant {
	return slices.Concat(pickerMutants(), stopMutants, orderMutants, moveMutants, layerMutants, treeMutants(), growthMutants(),
		oneStepMutants(), subgraphMutants, drawMutants, slices.Concat(families...))
}

// sound has the copies of the apps without a fault.
var sound = map[string]func(app.App) apptest.Sampler{
	"DeepWalk": walkBy(right, ownWord),
	"PPR":      stopBy(stopFault{}),
	"Node2Vec": orderBy(orderFault{}),
	"KHop":     treeBy(rightPicks, ownKey),
	"App":      growBy(growthFault{}),

	"MetropolisHastings":   metropolisBy(byRatio),
	"Jump":                 teleportBy(teleportFault{}),
	"MultiDimensionalWalk": poolBy(poolFault{}),
	"MetaPath":             pathBy(pathFault{}),
	"Layers":               layerBy(layerFault{}),

	"Computed":   oneStepBy(growthFault{}, computedWalks...),
	"Snowball":   oneStepBy(growthFault{}, "Snowball"),
	"ForestFire": fireBy(func(c *program.Ctx, p float64) int { return burnt(c, p, 0) }),
	"Layer":      oneStepBy(growthFault{}, "Layer"),
	"Subgraphs":  shared(subgraphFault{}),
	"Batches":    drawBy(drawFault{}),
}

// Package walk holds the drivers of the CPU engine for random walks.
//
// There are three schedules. Walks whose steps take equally long advance in lockstep, in groups of plan.Group walkers. Walks
// with rejected proposals (second order, computed biases) keep a step and a try per walker, and a walker that ends is
// replaced by the next sample. Walks that stop at random are compacted after every step.
package walk

package stage

import "gonextdoor/gonextdoor/plan"

// lag is how many walkers lie between the choice of an edge and the look at where it leads.
//
//lint:ignore U1000 stride_amd64.s reads it
const lag = plan.Group - 8

// ahead is how many walkers ahead of their choice records are asked for: if sooner, other lines would push them out of
// the cache.
//
//lint:ignore U1000 stride_amd64.s reads it
const ahead = 96

package stage

import "gonextdoor/gonextdoor/plan"

// lag is the number of walkers between the choice of an edge and the read of its end.
//
//lint:ignore U1000 stride_amd64.s reads it
const lag = plan.Group - 8

// ahead is how many walkers before their choice records are prefetched. Earlier, other lines would evict them.
//
//lint:ignore U1000 stride_amd64.s reads it
const ahead = 96

package stage

import "gonextdoor/gonextdoor/plan"

// lag is the number of walkers between the choice of an edge and the read of its end point.
//
//lint:ignore U1000 stride_amd64.s reads it
const lag = plan.Group - 8

// prefetchDistance is the number of walkers between the prefetch of a record and the choice that reads it. With a larger
// distance other lines would evict it.
//
//lint:ignore U1000 stride_amd64.s reads it
const prefetchDistance = 96

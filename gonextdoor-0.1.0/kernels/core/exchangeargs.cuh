// The parameters of the kernels of driver/exchange.cuh, as those of core/args.cuh. kernels/exchangeargs.go mirrors
// them.
#pragma once
#include "core/args.cuh"

namespace nd {

// ExchangeHome is the rows whose result is in the memory of one GPU. All GPUs of an exchange read and write the result.
struct ExchangeHome {
  u32* vertices;  // slot s of row r is at s*stride + r
  i64* edges;     // the edge of step s in slot s; 0: no edges
  u64 stride;
  u64 rows;
  u64 first;   // the sample id of row 0
  u64 before;  // the number of rows of all homes before
};

// Exchange is the parameter of the kernels of walks that several GPUs make together. A launch makes one step of the
// rows of all homes that are at one of its vertices. See driver/exchange.cuh.
struct Exchange {
  Walk w;  // the step is t.begin. Of b it uses the stream; of t.edges only whether it is 0; t.alive lists rejected rows
  const ExchangeHome* homes;
  u64 home_count;
  u64 home;       // the number of the home whose ended walks this GPU continues; NoEdge: none
  u64 low, high;  // this GPU makes the steps from the vertices [low, high)
  u64 tiles;      // of the largest home
};

}  // namespace nd

// Walkers on a graph of which a kernel can read some rows only. Their base is a residence, which determines what
// happens to a walker if the row that it reads next is not here:
//
//   Streamed   driver/streamedwalk.cuh  The row is brought to the walker, whose state waits for a copy of the part.
//   Exchanged  driver/exchange.cuh      The walker is sent to its row: the GPU that has the row finds it in the result.
//
// The drivers of the two files list the walkers whose row is here, and let them advance. A residence has these members:
//
//   w, key, step      the parameter with the rows that are here; the key of the sample; the number of the step
//   vertex, before()  the present vertex, whose row is here; for walks of second order the previous one, or None
//   walks()           whether the walk has a vertex. An exchange also writes the columns of walks that have ended
//   at_step(), root() what App is constructed from: w with `step` in Trace::begin, and the root of the row
//   move(e)           makes the step along an edge, or ends the walk if e is no edge
//   leave_to_warp()   leaves the step to a warp, which scans the row
#pragma once
#include "driver/secondorder.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// FirstOrderSteps steps by App::step, which picks edges by Move, as driver/walk.cuh does.
template <class Residence, class Move, class App> struct FirstOrderSteps : Residence {
  using Residence::Residence;

  ND_FN void advance(u32) {
    App app(this->at_step(), App::rooted ? this->root() : 0);
    Move move;
    move.set_vertex(this->w.g, this->vertex);
    this->move(app.step(this->w, this->key, this->step, move));
  }
};

// SecondOrderSteps makes the tries of a step, as driver/secondorder.cuh does. If all are rejected, a lane scans a short
// row, and a warp a longer one.
template <class Residence, class Propose, class App> struct SecondOrderSteps : Residence {
  static constexpr bool scans = true;
  using Residence::Residence;

  ND_FN void advance(u32) {
    using Rows = typename Propose::Rows;
    const App app(this->w);
    PickedEdge e{None, 0, NoEdge};
    if (this->walks()) {
      u32 previous = this->before();
      typename Propose::Row row = Rows::of(this->w.g, this->vertex), from{0, 0};
      if (App::outliers && previous != None) from = Rows::of(this->w.g, previous);
      if (!try_step<Propose>(this->w, app, row, from, this->key, this->step, previous, this->vertex, e)) {
        if (App::LaneScan == 0 || row.degree > App::LaneScan) return this->leave_to_warp();
        e = scanned<Lane>();
      }
    }
    this->move(e);
  }
  ND_FN void by_warp() {
    PickedEdge e = scanned<Warp>();
    if (lane_index() == 0) this->move(e);
  }
  template <class G> ND_FN PickedEdge scanned() const {
    return scan_step<G, Propose, App>(this->w, this->key, this->step, this->before(), this->vertex);
  }
};

}  // namespace nd

package mutant

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/plan"
)

// exchangeKernelMutants has faults of walks that several GPUs make together.
var exchangeKernelMutants = []kernelMutant{
	{"exchange: the first vertex of a GPU belongs to none", likely, "driver/exchange.cuh",
		"v - a.low < a.high - a.low", "v - a.low - 1 < a.high - a.low - 1", exchanges},
	{"exchange: ended walks keep their last column", likely, "driver/exchange.cuh",
		"(v == None && home == a.home)", "false", exchanges},
	{"exchange: random words of the row in the first home", likely, "driver/exchange.cuh",
		"a.w.b.stream, home.first + row)", "a.w.b.stream, a.homes[0].first + row)", exchanges},
	{"exchange: barrier missing before the list of a tile is read", likely, "driver/exchange.cuh",
		"count += count_bits(kept);\n    }\n    sync_warp(~0u);", "count += count_bits(kept);\n    }", exchanges},
	{"exchange: rows counted from the first tile", likely, "driver/exchange.cuh",
		"Walker(a, home, first + places[i], vertices[i])", "Walker(a, home, places[i], vertices[i])", exchanges},
	{"exchange: walks restart at the present vertex", likely, "driver/exchange.cuh",
		"return read_once(slot_at(home, 0, row));", "return vertex;", exchanges},
	{"exchange: the edge of a step written one slot late", likely, "driver/exchange.cuh",
		"home.edges + step * home.stride", "home.edges + (step + 1) * home.stride", exchanges},
	{"exchange: the present vertex read as the previous one", likely, "driver/exchange.cuh",
		"slot_at(home, step - 1, row)", "slot_at(home, step, row)", exchanges},
	{"exchange: listed rows are of the first home", likely, "driver/exchange.cuh",
		"while (at + 1 < a.home_count && number >= a.homes[at + 1].before) at++;", "", exchanges},
	{"exchange: rejected rows are not listed", likely, "driver/exchange.cuh",
		"list_row(w.t, (u32)(home.before + row));", "", exchanges},
}

func init() { kernelMutants = append(kernelMutants, exchangeKernelMutants...) }

// exchangeWalks lets two GPUs make walks together, until a sample differs from its definition.
func exchangeWalks(t *testing.T, one *cuda.Device) {
	two, err := cuda.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	variants, engines := enginetest.Variants(true), gputest.Exchangers([]*cuda.Device{one, two})
	names := slices.Sorted(maps.Keys(engines))
	for i, c := range enginetest.Cases() {
		p, err := plan.New(c.App, c.Graph, c.Width)
		if err != nil || !(gpu.Engine{}).Exchanges(p) {
			continue
		}
		for k, v := range []enginetest.Variant{variants[i%len(variants)], {Threads: 1, Edges: true, Packed: true, Repeat: 1, Seed: 7, Many: true}} {
			if err := c.Check(engines[names[(i+k)%len(names)]], v); err != nil {
				fmt.Printf("killed by %s: %s\n", c.Name, firstLine(err))
				return
			}
		}
	}
}

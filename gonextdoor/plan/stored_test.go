package plan

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// The choices of the plan are replayed against measured times, which are stored in benchmarks/gpu. No test measures a time.

// storedCores is the number of CPU cores of the machines on which the stored times were measured.
const storedCores = 16

// measuredCall is a stored call with its seconds on both devices.
type measuredCall struct {
	Call
	run, graph, name string
	cpu, gpu         float64
	parts            Parts // of a graph that exceeds the GPU's memory: the CPU's seconds include the copy of the samples
}

func (m measuredCall) String() string {
	return fmt.Sprintf("run %q, %s, %s, %d samples: CPU %.3f ms, GPU %.3f ms", m.run, m.graph, m.name, m.Samples, 1e3*m.cpu, 1e3*m.gpu)
}

// choose returns the choice of the plan.
func (m measuredCall) choose() Choice {
	if m.parts.Count > 0 {
		return m.Beyond(m.parts)
	}
	return m.Estimate().Choose(true, true)
}

// ratio returns how many times as long as the faster device the GPU takes, or the CPU.
func (m measuredCall) ratio(gpu bool) float64 {
	if gpu {
		return max(1, m.gpu/m.cpu)
	}
	return max(1, m.cpu/m.gpu)
}

// rightRatio is the ratio up to which a choice is right.
const rightRatio = 1.1

// replay returns the share of the cases in which the choice is right, and the largest ratio.
func replay(calls []measuredCall, wrong func(m measuredCall, c Choice)) (share, worst float64) {
	right := 0
	for _, m := range calls {
		c := m.choose()
		ratio := m.ratio(c.GPU)
		if worst = max(worst, ratio); ratio <= rightRatio {
			right++
		} else if wrong != nil {
			wrong(m, c)
		}
	}
	return float64(right) / float64(len(calls)), worst
}

// replayed is replay that logs wrong choices. It fails if there are fewer calls than cases, or less than the share is right.
func replayed(t *testing.T, name string, calls []measuredCall, cases int, share float64) {
	t.Helper()
	got, worst := replay(calls, func(m measuredCall, c Choice) { t.Logf("%v; expected %.3f and %.3f", m, 1e3*c.CPU, 1e3*c.Warm) })
	t.Logf("%s: right in %.1f %% of %d cases, at most %.2f times the faster device", name, 100*got, len(calls), worst)
	if len(calls) < cases || got < share {
		t.Errorf("%s: right in %.1f %% of %d cases, expected %.0f %% of %d at least", name, 100*got, len(calls), 100*share, cases)
	}
}

// storedTable returns the rows of a file after the header.
func storedTable(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// number returns a number of a stored row.
func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// storedRows reads the measured cases of a file with the columns run, graph, case, samples, cpu_ms and gpu_ms. App, size and
// threads are unknown.
func storedRows(t *testing.T, path string) (all []measuredCall) {
	t.Helper()
	for _, row := range storedTable(t, path) {
		all = append(all, measuredCall{
			Call: Call{Samples: int(number(t, row[3]))}, run: row[0], graph: row[1], name: row[2],
			cpu: number(t, row[4]) / 1e3, gpu: number(t, row[5]) / 1e3,
		})
	}
	return all
}

func readJSON(t *testing.T, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

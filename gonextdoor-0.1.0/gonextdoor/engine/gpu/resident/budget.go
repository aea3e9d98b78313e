package resident

import (
	"math"
	"os"
	"strconv"
	"strings"

	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// The environment variables that bound what graphs take of a GPU's memory: all of them together, and their replicas of what
// other GPUs have.
const memoryVariable, replicasVariable = "GONEXTDOOR_DEVICE_MEMORY", "GONEXTDOOR_DEVICE_REPLICAS"

// CheckBudget returns a ValueError if GONEXTDOOR_DEVICE_MEMORY or GONEXTDOOR_DEVICE_REPLICAS is not an amount of memory.
func CheckBudget() error {
	if _, err := parse(memoryVariable, 1); err != nil {
		return err
	}
	_, err := parse(replicasVariable, 1)
	return err
}

// budget returns how many bytes the graphs on a GPU with total bytes may take together (limit), and how many should stay
// free for results (reserve). GONEXTDOOR_DEVICE_MEMORY sets the limit; without it, or with an invalid value, there is none.
func budget(total int64) (limit, reserve int64) {
	reserve = total / plan.ResultsShare
	if limit, err := parse(memoryVariable, total); err == nil && limit > 0 {
		return limit, reserve
	}
	return math.MaxInt64, reserve
}

// replicaLimit returns how many bytes of a GPU with total bytes may be replicas. GONEXTDOOR_DEVICE_REPLICAS sets it, 0 too;
// without it, or with an invalid value, replicas may take what the budget leaves.
func replicaLimit(total int64) int64 {
	if strings.TrimSpace(os.Getenv(replicasVariable)) == "0" {
		return 0
	}
	if limit, err := parse(replicasVariable, total); err == nil && limit > 0 {
		return limit
	}
	return math.MaxInt64
}

// units are tried in order, so that "GB" is found before "B".
var units = []struct {
	name  string
	bytes float64
}{{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1}}

// parse reads an amount of memory from an environment variable: a number of bytes, a number with a unit, or a percentage of
// total. It returns 0 for an empty text, and for replicasVariable = 0.
func parse(variable string, total int64) (int64, error) {
	text := os.Getenv(variable)
	number, factor := strings.TrimSpace(text), 1.0
	if number == "" || variable == replicasVariable && number == "0" {
		return 0, nil
	}
	if share, ok := strings.CutSuffix(number, "%"); ok {
		number, factor = share, float64(total)/100
	}
	for _, u := range units {
		if n, ok := strings.CutSuffix(strings.ToUpper(number), u.name); ok {
			number, factor = n, u.bytes
			break
		}
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(x > 0) || x*factor >= math.MaxInt64 {
		return 0, refuse.Value("%s = %q: expected an amount of memory, such as 20GB or 50%%", variable, text)
	}
	return max(1, int64(x*factor)), nil
}

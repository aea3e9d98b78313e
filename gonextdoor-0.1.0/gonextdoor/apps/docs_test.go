package apps_test

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/internal/stattest"
)

// tested matches the row of docs/apps-*.md with the number of tests of an app, and what they detect.
var tested = regexp.MustCompile(`(?m)^\| tested \| (\d+) tests?,.*detects (\d\.\d+)(?: to (\d\.\d+))?`)

// checkDocs compares docs/apps-*.md with the results of each app, and checks that the table in docs/proof-distributions.md has all apps. Users'
// apps are on other pages.
func checkDocs(t *testing.T, results map[string][]stattest.Result) {
	var text string
	for _, page := range []string{"walks", "trees", "subgraphs"} {
		apps, err := os.ReadFile("../../docs/apps-" + page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		text += string(apps)
	}
	proof, err := os.ReadFile("../../docs/proof-distributions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(proof), "\n## The checks\n")
	rows, _, _ = strings.Cut(rows, "\n### ")
	for name, of := range results {
		if name == "App" {
			continue
		}
		if !regexp.MustCompile(`(?m)^\| (\w+, |computed )*` + name + `[, ].*\|.*\|.*\|$`).MatchString(rows) {
			t.Errorf("docs/proof-distributions.md: no row of %s", name)
		}
		_, table, shown := strings.Cut(text, "\n| "+name+" | |\n")
		if !shown {
			t.Errorf("docs/apps-*.md: no table of %s", name)
			continue
		}
		table, _, _ = strings.Cut(table, "\n\n")
		row := tested.FindStringSubmatch(table)
		if row == nil {
			t.Errorf("docs/apps-*.md, %s: expected a row as `| tested | 3 tests, of ...; detects 0.040 to 0.100 |`", name)
			continue
		}
		sharpest, bluntest := power(of)
		least, _ := strconv.ParseFloat(row[2], 64)
		most, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			most = least
		}
		if row[1] != strconv.Itoa(len(of)) || math.Abs(least-sharpest) > 0.002 || math.Abs(most-bluntest) > 0.002 {
			t.Errorf("docs/apps-*.md, %s: %q, expected %d tests, detects %.3f to %.3f", name, row[0], len(of), sharpest, bluntest)
		}
	}
}

// power returns the smallest and the largest distance that checks detect, except those that only check for impossible outcomes.
func power(of []stattest.Result) (sharpest, bluntest float64) {
	sharpest = 1
	for _, r := range of {
		if r.Draws > 1000 && r.Detects < 1 {
			sharpest, bluntest = min(sharpest, r.Detects), max(bluntest, r.Detects)
		}
	}
	return sharpest, bluntest
}

package app_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
)

// docs/apps.md says of each app by how many laws it was tested; it must not fall behind.
func TestLawsAreCountedInTheDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/apps.md")
	if err != nil {
		t.Fatal(err)
	}
	checks := apptest.Checks()
	for name := range app.Apps {
		_, table, shown := strings.Cut(string(text), fmt.Sprintf("\n| %s | |\n", name))
		if !shown {
			continue // of the user's own: other pages have it
		}
		table, _, _ = strings.Cut(table, "\n\n")
		count, laws := 0, "laws"
		for kind, of := range checks { // as "DeepWalk" or "DeepWalk, computed"
			if kind == name || strings.HasPrefix(kind, name+",") {
				count += len(of)
			}
		}
		if count == 1 {
			laws = "law"
		}
		if want := fmt.Sprintf("\n| tested | %d %s,", count, laws); !strings.Contains(table, want) {
			t.Errorf("docs/apps.md, %s: expected %q", name, want)
		}
	}
}

package doctor

import (
	"strings"
	"testing"
)

func TestCodeIsTheDriversChoice(t *testing.T) {
	all := "sm_70 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120 compute_70"
	for _, c := range []struct {
		targets string
		sm      int
		want    string
	}{
		{all, 70, "sm_70"}, {all, 72, "sm_70"}, {all, 89, "sm_89"}, {all, 87, "sm_86"}, {all, 103, "sm_100"}, {all, 121, "sm_120"},
		{all, 130, "compute_70"}, {all, 60, ""},
		{"compute_70", 70, "compute_70"}, {"compute_70", 90, "compute_70"},
		{"sm_86 compute_70", 80, "compute_70"}, {"sm_86", 80, ""}, {"sm_80", 90, ""}, {"compute_70 compute_80", 90, "compute_80"},
		{"sm_90a compute_70", 90, "sm_90a"}, {"sm_100a compute_70", 103, "compute_70"}, {"sm_100f", 103, "sm_100f"},
		{"", 90, ""},
	} {
		if got := code(strings.Fields(c.targets), c.sm); got != c.want {
			t.Errorf("sm_%d runs %q of %q, want %q", c.sm, got, c.targets, c.want)
		}
	}
}

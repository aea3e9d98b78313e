package doctor

import (
	"encoding/json"
	"testing"

	"gonextdoor/gonextdoor/cuda"
)

func TestReportHasAReason(t *testing.T) {
	r := Look()
	if err := cuda.Status(); err != nil {
		if r.Reason != err.Error() || len(r.Devices) != 0 {
			t.Errorf("no GPU because of %v, but the report is %+v", err, r)
		}
	} else if len(r.Devices) == 0 && r.Reason == "" {
		t.Error("neither a GPU nor a reason")
	}
	for _, d := range r.Devices {
		if d.Reason != "" && len(r.Kernels) > 0 {
			t.Errorf("cuda:%d: %s", d.ID, d.Reason)
		}
		if d.Name == "" || d.SM < 70 || d.Total <= 0 || d.Free <= 0 || d.Free > d.Total {
			t.Errorf("implausible properties: %+v", d)
		}
	}
	var again Report
	if err := json.Unmarshal([]byte(r.JSON()), &again); err != nil || again.Reason != r.Reason {
		t.Errorf("%v: %s", err, r.JSON())
	}
}

package gpu

import (
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// Scores counts the visits of the walks of every row.
func (e Engine) Scores(s plan.Scores, j *job.Job) (output.Scores, error) {
	return output.Scores{}, refuse.Device("device: personalized_pagerank does not run on a GPU; use device=\"cpu\"")
}

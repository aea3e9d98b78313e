package pybind

import "gonextdoor/gonextdoor/doctor"

// Doctor returns a doctor.Report as JSON: the GPUs, and why one of them cannot be used.
func Doctor() (text string, err error) {
	defer guard(&err)
	return doctor.Look().JSON(), nil
}

package pybind

import "gonextdoor/gonextdoor/doctor"

// Doctor gives as JSON what there is of GPUs, and why one cannot be used.
func Doctor() (text string, err error) {
	defer guard(&err)
	return doctor.Look().JSON(), nil
}

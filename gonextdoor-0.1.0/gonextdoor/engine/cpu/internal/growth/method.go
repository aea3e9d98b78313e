package growth

import "gonextdoor/gonextdoor/app/program"

// method is the way in which the picks of a choice are selected. It depends on the program alone, so each run determines it
// once, by methodOf. Only this file maps programs to selectors.
type method int

const (
	byNext method = iota // the Next hook returns each pick; there are no candidates

	// One pick per transit, made for many transits at once by chooser.
	oneByBias  // Reject under the Bound hook, if any, then Reservoir over the row
	oneByAlias // Alias
	oneUniform // Uniform

	// Several picks per choice, made for one choice after another by selection.
	manyDistinct // Distinct: proposals, then a scan of the remaining biases
	manyScanned  // Scan or ScanWithout over computed biases
	manyOfRow    // Uniform, Alias, Permute or Successive over one row
	manyUniform  // Uniform over the rows of all transits
	manyPermuted // Permute over the rows of all transits
)

// methodOf returns the method of a program; aliased is true if its choices use alias tables.
func methodOf(p *program.StepProgram, aliased bool) method {
	computed := p.EdgeBias != nil
	switch {
	case p.Next != nil:
		return byNext
	case p.Single() && computed:
		return oneByBias
	case p.Single() && aliased:
		return oneByAlias
	case p.Single():
		return oneUniform
	case p.Bound != nil, p.Unique != program.Repeats && !computed:
		return manyDistinct
	case computed:
		return manyScanned
	case p.Scope == program.Individual:
		return manyOfRow
	case p.Replace:
		return manyUniform
	default:
		return manyPermuted
	}
}

// single reports whether each transit makes one pick among its candidates.
func (m method) single() bool { return m == oneByBias || m == oneByAlias || m == oneUniform }

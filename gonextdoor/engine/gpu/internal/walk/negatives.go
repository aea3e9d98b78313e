package walk

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// Negatives draws pairs without an edge (kernels/driver/negatives.cuh), one thread per pair. Variants with the bitmap of edges precede
// those that search rows.
func Negatives(p plan.Plan) (launch.Spec, error) {
	a, ok := p.App.(app.NegativeDrawer)
	if !ok {
		return launch.Spec{}, launch.NoKernel(p)
	}
	d := a.NegativeDraws()
	spec := launch.Spec{Complete: "negatives search the rows of any vertex", Tables: tableBytes(d)}
	if h, ok := p.App.(interface{ AtHops() int }); ok && h.AtHops() > 0 {
		return negativesAtHops(spec, h.AtHops(), d.Ends), nil
	}
	for _, lookup := range []resident.Layout{resident.Bloom, 0} {
		spec.Variants = append(spec.Variants,
			launch.Variant{Layout: resident.Packed | lookup, Kernel: launch.Kernel{Name: "negatives_packed"}},
			launch.Variant{Layout: resident.Rows | lookup, Kernel: launch.Kernel{Name: "negatives_plain"}},
		)
	}
	spec.Calls = func() launch.Callbacks {
		var args kernels.Negatives
		return launch.Callbacks{
			Fill: func(r *launch.Run, _ *kernels.Walk) error { return fillNegatives(r, d, &args) },
			Launch: func(r *launch.Run, w *kernels.Walk) error {
				if w.T.Begin > 0 { // the launch of the first step made whole samples
					return nil
				}
				launched := args
				launched.G, launched.B, launched.T = w.G, w.B, w.T
				return r.Launcher.Threads(r.Kernel, int64(w.B.Rows-w.B.From), &launched)
			},
		}
	}
	return spec, nil
}

// tableBytes returns the bytes of the tables that fillNegatives holds. They may not have been built yet.
func tableBytes(d *app.NegativeDraws) int64 {
	bytes := 8 * int64(len(d.RowSums))
	if d.Weights != nil {
		bytes += 8 * int64(d.Ends+1)
	}
	if d.Pairs && d.RowSums == nil && (d.Weights != nil || d.SourceWeights != nil) {
		bytes += 8 * int64(d.Sources)
	}
	for _, s := range []*app.Scores{d.Weights, d.SourceWeights} {
		if s != nil {
			bytes += 16 * int64(s.Candidates().N)
		}
	}
	if d.Lists != nil {
		ends, members := d.Lists.Arrays()
		bytes += 4 * int64(len(ends)+len(members)+len(d.List))
	}
	return bytes
}

// fillNegatives sets the parameters of draws, and holds their tables.
func fillNegatives(r *launch.Run, d *app.NegativeDraws, to *kernels.Negatives) error {
	to.Pairs, to.Loops, to.Sources, to.Ends = launch.Flag(d.Pairs), launch.Flag(d.Loops), d.Sources, d.Ends
	hold := func(table resident.Table, at *uint64, array resident.HostArray) error {
		held, err := r.HoldTable(table, array)
		if err == nil {
			*at = held[0]
		}
		return err
	}
	var errs []error
	if d.Weights != nil {
		errs = append(errs,
			hold(resident.TableOf(d.Weights, "weights"), &to.Alias, resident.ArrayOf(d.Weights.Candidates().Alias)),
			hold(resident.TableOf(d, "sums of weights"), &to.Sums, resident.ArrayOf(d.Sums)))
	}
	if d.SourceWeights != nil {
		errs = append(errs, hold(resident.TableOf(d.SourceWeights, "source weights"), &to.SourceAlias, resident.ArrayOf(d.SourceWeights.Candidates().Alias)))
	}
	if d.RowSums != nil {
		errs = append(errs, hold(resident.TableOf(d, "sums of rows"), &to.RowSums, resident.ArrayOf(d.RowSums)))
	}
	if d.Lists != nil {
		ends, members := d.Lists.Arrays()
		errs = append(errs,
			hold(resident.TableOf(d.Lists, "ends of lists"), &to.ListEnds, resident.ArrayOf(ends)),
			hold(resident.TableOf(d.Lists, "lists"), &to.ListMembers, resident.ArrayOf(members)))
	}
	if d.List != nil {
		errs = append(errs, hold(resident.TableOf(d, "list of each vertex"), &to.List, resident.ArrayOf(d.List)))
	}
	return launch.First(errs...)
}

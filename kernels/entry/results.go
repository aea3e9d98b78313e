package entry

// results are the files of the conversion of results, and of the check of roots.
func results() []File {
	kernels := over("result", []variant{{"rows", "u32, u32"}, {"rows_wide", "u32, i64"}, {"rows_edges", "i64, i64"}}, "rows_of_columns<%s>(a)")
	for _, k := range []variant{
		{"widen", "widen"}, {"lengths", "count_lengths"}, {"filled", "count_filled"}, {"add", "add_number"}, {"sum", "add_numbers"}, {"visits", "count_visits"},
	} {
		kernels = append(kernels, over("result", []variant{k}, "%s(a)")...)
	}
	var integers []variant
	for _, t := range []string{"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"} {
		integers = append(integers, variant{t, t})
	}
	kernels = append(kernels, over("check_roots", integers, "check_roots<%s>(a)")...)
	return []File{{"result", []string{"result/columns.cuh"}, given("Columns", kernels)}}
}

// Written by package kernels/entry from its table.
#include "result/columns.cuh"

using namespace nd;

ND_KERNEL(result_rows, Columns) { rows_of_columns<u32, u32>(a); }
ND_KERNEL(result_rows_wide, Columns) { rows_of_columns<u32, i64>(a); }
ND_KERNEL(result_rows_edges, Columns) { rows_of_columns<i64, i64>(a); }
ND_KERNEL(result_widen, Columns) { widen(a); }
ND_KERNEL(result_lengths, Columns) { count_lengths(a); }
ND_KERNEL(result_filled, Columns) { count_filled(a); }
ND_KERNEL(result_add, Columns) { add_number(a); }
ND_KERNEL(result_sum, Columns) { add_numbers(a); }
ND_KERNEL(result_visits, Columns) { count_visits(a); }
ND_KERNEL(check_roots_i8, Columns) { check_roots<i8>(a); }
ND_KERNEL(check_roots_i16, Columns) { check_roots<i16>(a); }
ND_KERNEL(check_roots_i32, Columns) { check_roots<i32>(a); }
ND_KERNEL(check_roots_i64, Columns) { check_roots<i64>(a); }
ND_KERNEL(check_roots_u8, Columns) { check_roots<u8>(a); }
ND_KERNEL(check_roots_u16, Columns) { check_roots<u16>(a); }
ND_KERNEL(check_roots_u32, Columns) { check_roots<u32>(a); }
ND_KERNEL(check_roots_u64, Columns) { check_roots<u64>(a); }

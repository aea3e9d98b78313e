// The kernels that convert results on the GPU, and check roots; see result/columns.cuh.
#include "result/columns.cuh"

using nd::Columns;

ND_KERNEL(result_rows, Columns) { nd::rows_of_columns<nd::u32, nd::u32>(a); }
ND_KERNEL(result_rows_wide, Columns) { nd::rows_of_columns<nd::u32, nd::i64>(a); }
ND_KERNEL(result_rows_edges, Columns) { nd::rows_of_columns<nd::i64, nd::i64>(a); }
ND_KERNEL(result_widen, Columns) { nd::widen(a); }
ND_KERNEL(result_lengths, Columns) { nd::count_lengths(a); }
ND_KERNEL(result_add, Columns) { nd::add_number(a); }
ND_KERNEL(result_sum, Columns) { nd::add_numbers(a); }
ND_KERNEL(result_visits, Columns) { nd::count_visits(a); }

ND_KERNEL(check_roots_i8, Columns) { nd::check_roots<nd::i8>(a); }
ND_KERNEL(check_roots_i16, Columns) { nd::check_roots<nd::i16>(a); }
ND_KERNEL(check_roots_i32, Columns) { nd::check_roots<nd::i32>(a); }
ND_KERNEL(check_roots_i64, Columns) { nd::check_roots<nd::i64>(a); }
ND_KERNEL(check_roots_u8, Columns) { nd::check_roots<nd::u8>(a); }
ND_KERNEL(check_roots_u16, Columns) { nd::check_roots<nd::u16>(a); }
ND_KERNEL(check_roots_u32, Columns) { nd::check_roots<nd::u32>(a); }
ND_KERNEL(check_roots_u64, Columns) { nd::check_roots<nd::u64>(a); }

// nccl-tests and rccl-tests: their text of three generations, and their JSON (-J).
//
//   until 2021   #  size  count  type  [redop]        time algbw busbw error   time algbw busbw error
//   2.12         #  size  count  type  redop  root    time algbw busbw #wrong  time algbw busbw #wrong
//   2.18         and "# nccl-tests version", "# Collective test starting: all_reduce_perf"; with -I 1 also i_min i_max
//                i_p99 i_cv%, with -S 1 a time of day, with -M 1 the memory, with -J a file of JSON
// The columns are those that the header names: the first time is out of place, the second in place. A log may hold
// several runs, in any mixture with other lines.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/imports/import_builder.hpp"
#include "calibrate/imports/log_text.hpp"

namespace dodona::calibrate {

bool is_nccl_tests(const LogText& text);
void read_nccl_tests(const LogText& text, ImportBuilder& into);

/// By the start of a file.
bool is_nccl_tests_json(std::string_view start);
/// Throws InputError where it is no JSON. `env`, the whole environment of who ran it, is never looked at.
void read_nccl_tests_json(const std::string& text, ImportBuilder& into);

}  // namespace dodona::calibrate

// Checkpoints written and restored for real: `checkpoint` cases of the back end `storage`.
//
// `operation` write: `tensors` arrays of normally distributed numbers, `bytes` in all, become the bytes of a file in
// `format`, which is written to a nameless file of `directory` and ends with fsync. read: the file is read without its
// pages in the cache and becomes arrays, which are compared with the first ones bit by bit in every sample, outside of
// its time; a case whose arrays differ fails. `encode_bandwidth` and `decode_bandwidth` are of the memory part alone, in
// bytes of arrays; `bandwidth` is of all; `ratio` is the file over the arrays.
#pragma once

#include "calibrate/record/exchange.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// Throws CannotMeasure.
Measurement measure_checkpoint(const Case& asked, const Settings& settings);

}  // namespace dodona::calibrate

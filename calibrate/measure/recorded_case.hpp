// Cases as records keep them: without the paths of whoever measured.
#pragma once

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// The case with a mark in place of its directory: the same for one directory of one host, another for any other. What
/// was measured on one disk is not taken for what another would take.
Case recorded(Case of);

/// A back end's answer to `asked` as it is recorded: its case, and the sentence of a failure, without the directory.
Record recorded(Record record, const Case& asked);

}  // namespace dodona::calibrate

// The back end `storage`: files of a directory, written, read, created, looked up and removed. Needs no library.
//
// Of `file` cases: write and read move `bytes` a writer in pieces of `block`; writes end with fsync, reads begin
// without their pages in the cache. create, stat and remove are of many empty files, and the time is of one by every
// writer. `directory` says where. Writers are threads. Large files have no name, small ones lie in a folder that a
// guard process removes when this one ends, in whatever way. `checkpoint` cases: checkpoint_case.hpp.
#pragma once

namespace dodona::calibrate {

/// Reads settings and cases from `in`, answers to `out` (exchange.hpp). Returns the exit status.
int measure_storage(int in, int out);

}  // namespace dodona::calibrate

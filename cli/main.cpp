// dodona.
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/process.hpp"
#include "cli/program.hpp"

namespace {

/// Searches free and allocate the tables of one mesh after another: what they free is kept instead of being returned to
/// the system and cleared again.
void keep_freed_memory() {
#ifdef __GLIBC__
    constexpr int kMiB = 1 << 20;
    mallopt(M_TRIM_THRESHOLD, 512 * kMiB);
    mallopt(M_TOP_PAD, 16 * kMiB);
    mallopt(M_MMAP_THRESHOLD, 32 * kMiB);
#endif
}

}  // namespace

int main(int argc, char** argv) {
    keep_freed_memory();
    return dodona::cli::run_process(argc, argv, "dodona", dodona::cli::run);
}

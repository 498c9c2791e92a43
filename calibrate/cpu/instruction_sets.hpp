// Marks a function to be compiled for several instruction sets. Where the compiler can't, it has the one of the build.
#pragma once

#if defined(__x86_64__) && defined(__ELF__)
#define DODONA_ALL_INSTRUCTION_SETS __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define DODONA_ALL_INSTRUCTION_SETS
#endif

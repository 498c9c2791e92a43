// The sweep of `dodona report` on the ranks of an MPI job: rank 0 reads the question, hands out points, the largest numbers of
// GPUs first, and writes the report; the others compute. What is written does not depend on how many there are.
#pragma once

#include <string>
#include <vector>

#include "cli/option.hpp"

namespace dodona::sweep {

/// As for `dodona report`, which reads what it writes; without `run`.
cli::Command sweep_command();

/// What rank 0 owes the others: to let them go, however it ends itself.
class Lead {
public:
    /// Tells them what to compute.
    void begin(const std::string& order);
    /// They have been let go.
    void finish() { stage_ = Stage::after; }
    /// Where there was no sweep lets them go; where they are amid a search ends the job with this exit code.
    void end(int code);

private:
    enum class Stage { before, under_way, after };
    Stage stage_ = Stage::before;
};

/// Of rank 0: the exit code. Throws InputError.
int run_sweep(const std::vector<std::string>& words, Lead& lead);

/// Of a rank that computes: reads the same question and does as rank 0 says, until there is nothing left.
void follow(const std::vector<std::string>& words);

}  // namespace dodona::sweep

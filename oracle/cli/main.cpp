// dodona: the process around the program. Maps every ending to an exit code.
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "build_config.hpp"
#include "cli/exit_code.hpp"
#include "cli/missing.hpp"
#include "cli/program.hpp"

namespace {

int our_fault(const char* what, const std::vector<std::string>& words) {
    fmt::print(stderr,
               "error: this is a fault in dodona {}, not in your input: {}\n"
               "  command: dodona {}\n"
               "  help: please report both lines above, with the files that you gave\n",
               dodona::kVersion, what, fmt::join(words, " "));
    return dodona::cli::kOurFault;
}

}  // namespace

int main(int argc, char** argv) {
    // A reader that has seen enough (`dodona ... | head`) ends the program without a word.
    std::signal(SIGPIPE, SIG_DFL);
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    try {
        return dodona::cli::run(words);
    } catch (const dodona::InputError& error) {
        std::fputs(error.what(), stderr);
        return dodona::cli::kBadInput;
    } catch (const dodona::cli::Missing& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return dodona::cli::kMissing;
    } catch (const std::bad_alloc&) {
        return our_fault("out of memory", words);
    } catch (const std::exception& error) {
        return our_fault(error.what(), words);
    } catch (...) {
        return our_fault("an unknown exception", words);
    }
}

#include "cli/process.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/printable.hpp"
#include "build_config.hpp"
#include "cli/exit_code.hpp"
#include "cli/missing.hpp"

namespace dodona::cli {

namespace {

int our_fault(const char* what, const std::string& name, const std::vector<std::string>& words) {
    fmt::print(stderr,
               "error: this is a fault in dodona {}, not in your input: {}\n"
               "  command: {} {}\n"
               "  help: please report both lines above, with the files that you gave\n",
               kVersion, printable(what), name, printable(fmt::format("{}", fmt::join(words, " "))));
    return kOurFault;
}

}  // namespace

int run_process(int argc, char** argv, const std::string& name, int (*program)(const std::vector<std::string>& words)) {
    // A reader that has seen enough (`dodona ... | head`) ends the program without a word.
    std::signal(SIGPIPE, SIG_DFL);
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    try {
        return program(words);
    } catch (const InputError& error) {
        std::fputs(error.what(), stderr);
        return kBadInput;
    } catch (const Missing& error) {
        fmt::print(stderr, "error: {}\n", printable(error.what()));
        return kMissing;
    } catch (const std::filesystem::filesystem_error& error) {
        fmt::print(stderr, "error: {}: {}\n", printable(error.path1().string()), error.code().message());
        return kBadInput;
    } catch (const std::bad_alloc&) {
        return our_fault("out of memory", name, words);
    } catch (const std::exception& error) {
        return our_fault(error.what(), name, words);
    } catch (...) {
        return our_fault("an unknown exception", name, words);
    }
}

}  // namespace dodona::cli

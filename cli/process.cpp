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

Ending our_fault(const char* what, const std::string& name, const std::vector<std::string>& words) {
    return {kOurFault,
            fmt::format("error: this is a fault in dodona {}, not in your input: {}\n"
                        "  command: {} {}\n"
                        "  help: please report both lines above, with the files that you gave\n",
                        kVersion, printable(what), name, printable(fmt::format("{}", fmt::join(words, " "))))};
}

}  // namespace

Ending ending_of(const std::string& name, const std::vector<std::string>& words, const std::function<int()>& run) {
    try {
        return {run(), {}};
    } catch (const InputError& error) {
        return {kBadInput, error.what()};
    } catch (const Missing& error) {
        return {kMissing, fmt::format("error: {}\n", printable(error.what()))};
    } catch (const std::filesystem::filesystem_error& error) {
        return {kBadInput, fmt::format("error: {}: {}\n", printable(error.path1().string()), error.code().message())};
    } catch (const std::bad_alloc&) {
        return our_fault("out of memory", name, words);
    } catch (const std::exception& error) {
        return our_fault(error.what(), name, words);
    } catch (...) {
        return our_fault("an unknown exception", name, words);
    }
}

int run_process(int argc, char** argv, const std::string& name, int (*program)(const std::vector<std::string>& words)) {
    // A reader that has seen enough (`dodona ... | head`) ends the program without a word.
    std::signal(SIGPIPE, SIG_DFL);
    // A limit on the size of files is a write that fails, which is told.
    std::signal(SIGXFSZ, SIG_IGN);
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    const Ending ending = ending_of(name, words, [&] { return program(words); });
    std::fputs(ending.message.c_str(), stderr);
    return ending.code;
}

}  // namespace dodona::cli

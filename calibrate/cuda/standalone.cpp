// Measures a GPU where dodona itself can't be built (build_module.sh): opens the module, asks it for a list of cases
// and appends what it answers to a file, which `dodona calibrate` reads elsewhere.
//
//   standalone MODULE RECORDS [check|quick|full] [time|names|counters] [most seconds]
//
// The module runs in a process of its own. Where that ends at a case, the case is written down as failed and the rest
// asked of a new one. Cases that RECORDS already answers are left out: an interrupted run goes on.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "calibrate/cases/cuda_cases.hpp"
#include "calibrate/record/exchange.hpp"

namespace {

using namespace dodona::calibrate;
using Measure = int (*)(int in, int out);

struct Asked {
    std::string module, records;
    std::vector<Case> cases;
    Settings settings;
    double most_seconds = 1e9;  ///< of all cases together
};

/// The module in a new process: what it reads and what it writes.
struct Process {
    pid_t id = -1;
    std::FILE* to = nullptr;
    std::FILE* from = nullptr;
};

Process started(const std::string& module) {
    std::array<int, 2> to{}, from{};
    if (::pipe(to.data()) != 0 || ::pipe(from.data()) != 0) {
        return {};
    }
    const pid_t id = ::fork();
    if (id == 0) {
        (void)::close(to[1]);
        (void)::close(from[0]);
        void* const opened = ::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
        void* const entry = opened == nullptr ? nullptr : ::dlsym(opened, "dodona_measure");
        if (entry == nullptr) {
            const char* const why = ::dlerror();
            (void)std::fprintf(stderr, "%s\n", why == nullptr ? "no reason known" : why);
            ::_exit(3);
        }
        ::_exit(reinterpret_cast<Measure>(entry)(to[0], from[1]));
    }
    (void)::close(to[0]);
    (void)::close(from[1]);
    return {id, ::fdopen(to[1], "w"), ::fdopen(from[0], "r")};
}

bool write_line(std::FILE* to, const std::string& line) {
    return std::fputs((line + "\n").c_str(), to) >= 0 && std::fflush(to) == 0;
}

/// Empty where the process is gone.
std::string read_line(std::FILE* from) {
    std::string line;
    for (int letter = 0; (letter = std::fgetc(from)) != EOF && letter != '\n';) {
        line += static_cast<char>(letter);
    }
    return line;
}

int ended(const Process& process) {
    (void)std::fclose(process.to);
    (void)std::fclose(process.from);
    int status = 0;
    (void)::waitpid(process.id, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Keys of the cases that a file answers in this pass.
std::set<std::string> answered(const Asked& asked) {
    std::set<std::string> keys;
    std::ifstream file(asked.records);
    for (std::string line; std::getline(file, line);) {
        const Record record = record_from(line, {});
        if (record.pass != asked.settings.pass) {
            continue;
        }
        if (const auto* const measured = std::get_if<Measurement>(&record.what)) {
            keys.insert(measured->of.key());
        } else if (const auto* const failure = std::get_if<Failure>(&record.what)) {
            keys.insert(failure->of.key());
        }
    }
    return keys;
}

/// Returns the exit status: 0, or 3 where nothing can be measured here.
int measure(const Asked& asked) {
    const auto begin = std::chrono::steady_clock::now();
    const auto done = answered(asked);
    std::ofstream records(asked.records, std::ios::app);
    std::size_t next = 0;
    while (next < asked.cases.size()) {
        const Process process = started(asked.module);
        (void)write_line(process.to, to_line(asked.settings));
        const std::string first = read_line(process.from);  // the environment, or what is lacking
        (void)std::printf("%s\n", first.c_str());
        if (first.empty() || std::holds_alternative<Lacking>(record_from(first, {}).what)) {
            (void)ended(process);
            return 3;
        }
        records << first << std::endl;
        for (; next < asked.cases.size(); ++next) {
            const Case& one = asked.cases[next];
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
            if (spent.count() > asked.most_seconds) {
                (void)std::printf("out of time after %zu of %zu cases\n", next, asked.cases.size());
                (void)ended(process);
                return 0;
            }
            if (done.contains(one.key())) {
                continue;
            }
            const std::string line = write_line(process.to, to_line(one)) ? read_line(process.from) : "";
            if (line.empty()) {
                break;
            }
            records << line << std::endl;
            (void)std::printf("%4zu/%zu %6.1f s %s\n", next + 1, asked.cases.size(), spent.count(), line.c_str());
        }
        const int status = ended(process);
        if (next < asked.cases.size()) {
            const Failure failure{asked.cases[next++],
                                  "the back end ended at this case, with status " + std::to_string(status)};
            records << to_line(Record{"cuda", asked.settings.pass, date_now(), failure}) << std::endl;
        }
    }
    return 0;
}

}  // namespace

int main(int count, char** words) {
    const std::vector<std::string> all(words, words + count);
    const auto word = [&](std::size_t at, const char* otherwise) { return at < all.size() ? all[at] : otherwise; };
    const auto pass = pass_from(word(4, "time"));
    const std::string list = word(3, "quick");
    if (count < 3 || !pass || (list != "check" && list != "quick" && list != "full")) {
        (void)std::fprintf(stderr, "usage: %s MODULE RECORDS [check|quick|full] [time|names|counters] [most seconds]\n",
                           words[0]);
        return 2;
    }
    (void)std::signal(SIGPIPE, SIG_IGN);
    const bool quick = list != "full";
    Asked asked{.module = all[1],
                .records = all[2],
                .cases = list == "check" ? cuda_check_cases() : cuda_cases({.quick = quick}),
                .settings = {.pass = *pass, .quick = quick, .most_seconds = quick ? 0.3 : 1}};
    if (all.size() > 5) {
        asked.most_seconds = std::stod(all[5]);
    }
    return measure(asked);
}

// How dodona talks with a back end: JSON lines over two file descriptors, the back end in a process of its own.
//
// To the back end: first the settings; it answers with an Environment, or with a Lacking and ends with status 3. Then a
// case a line, each once the one before was answered with a Measurement or a Failure. Where a back end dies, the case
// that it was at is the one that killed it; the rest is asked of a new process.
// A shared module is opened in that process and has one function, `extern "C" int dodona_measure(int in, int out)`,
// which returns the exit status; programs (dodona-calibrate-mpi) read stdin and write stdout.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

struct Settings {
    Pass pass = Pass::time;
    bool quick = false;       ///< a rough answer: fewer samples of each case
    double most_seconds = 2;  ///< that one case may sample for
    std::uint64_t seed = 1;   ///< of the random data and of the order
};

std::string to_line(const Settings& settings);
Settings settings_from(std::string_view line, const Location& where);
std::string to_line(const Case& asked);
Case case_from(std::string_view line, const Location& where);

/// What measures: made once in a process of its own, asked for one case after another.
class Instrument {
public:
    Instrument() = default;
    Instrument(const Instrument&) = delete;
    Instrument& operator=(const Instrument&) = delete;
    virtual ~Instrument() = default;

    [[nodiscard]] virtual Environment environment() = 0;
    /// Throws CannotMeasure, with a sentence for the user, where the case does not run here.
    [[nodiscard]] virtual Measurement measure(const Case& asked) = 0;
};

/// A case that an instrument can't measure; the others go on.
class CannotMeasure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Something is missing without which the instrument measures nothing.
class InstrumentMissing : public std::runtime_error {
public:
    explicit InstrumentMissing(Lacking lacking) : std::runtime_error(lacking.why), lacking_(std::move(lacking)) {}
    [[nodiscard]] const Lacking& lacking() const { return lacking_; }

private:
    Lacking lacking_;
};

using MakeInstrument = std::unique_ptr<Instrument> (*)(const Settings&);

/// Reads settings and cases, measures, answers, until the cases end. Returns the exit status: 0, or 3 where `make`
/// threw InstrumentMissing. An instrument's other exceptions become failures of their cases.
int serve(std::string_view backend, MakeInstrument make, int in, int out);

}  // namespace dodona::calibrate

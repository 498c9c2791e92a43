#include "calibrate/record/exchange.hpp"

#include <unistd.h>

#include <cerrno>
#include <optional>

namespace dodona::calibrate {

namespace {

constexpr int kServed = 0;
constexpr int kMissing = 3;

/// Lines of a file descriptor.
class Lines {
public:
    explicit Lines(int from) : from_(from) {}
    std::optional<std::string> next() {
        for (;;) {
            const auto end = read_.find('\n');
            if (end != std::string::npos) {
                std::string line = read_.substr(0, end);
                read_.erase(0, end + 1);
                return line;
            }
            char more[4096];
            const ssize_t count = ::read(from_, more, sizeof more);
            if (count < 0 && errno == EINTR) {
                continue;
            }
            if (count <= 0) {
                return std::nullopt;
            }
            read_.append(more, static_cast<std::size_t>(count));
        }
    }

private:
    int from_;
    std::string read_;
};

/// False where the reader is gone.
bool write_line(int to, std::string line) {
    line += '\n';
    for (std::size_t done = 0; done < line.size();) {
        const ssize_t count = ::write(to, line.data() + done, line.size() - done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(count);
    }
    return true;
}

std::variant<Environment, Measurement, Failure, Lacking> measured(Instrument& instrument, const Case& asked) {
    try {
        return instrument.measure(asked);
    } catch (const std::bad_alloc&) {
        return Failure{asked, "out of memory"};
    } catch (const std::exception& error) {
        return Failure{asked, error.what()};
    }
}

}  // namespace

int serve(std::string_view backend, MakeInstrument make, int in, int out) {
    Lines lines(in);
    const auto first = lines.next();
    if (!first) {
        return kServed;
    }
    const Settings settings = settings_from(*first, {});
    const auto answer = [&](std::variant<Environment, Measurement, Failure, Lacking> what) {
        return write_line(out, to_line(Record{std::string(backend), settings.pass, date_now(), std::move(what)}));
    };
    std::unique_ptr<Instrument> instrument;
    try {
        instrument = make(settings);
        answer(instrument->environment());
    } catch (const InstrumentMissing& missing) {
        answer(missing.lacking());
        return kMissing;
    }
    while (const auto line = lines.next()) {
        if (!answer(measured(*instrument, case_from(*line, {})))) {
            break;
        }
    }
    return kServed;
}

}  // namespace dodona::calibrate

// The file of a calibration's records: read whole, then appended to, a line at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

class Journal {
public:
    /// Opens or creates the file and locks it against other calibrations. A last line that is incomplete does not count,
    /// and the first append() removes it. Throws InputError for any other fault in the file, and where it cannot be
    /// written.
    explicit Journal(std::string path);
    ~Journal();  ///< a new file without a record is removed
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    [[nodiscard]] const std::vector<Record>& records() const { return records_; }
    /// Measured before; what failed before is not.
    [[nodiscard]] bool has(const std::string& backend, Pass pass, const Case& of) const;
    /// On the disk when it returns. Throws InputError where that fails.
    void append(const Record& record);
    /// Throws InputError where this back end measured another device before.
    void check_device(const std::string& backend, const Environment& environment) const;

private:
    void note(const Record& record);
    std::string whole_lines(std::string text);

    std::string path_;
    int file_ = -1;
    bool is_new_ = false;
    bool lacks_end_ = false;              ///< the last line is whole but for its end
    std::optional<std::int64_t> cut_at_;  ///< the last line is not whole
    std::vector<Record> records_;
    std::map<std::tuple<std::string, Pass, std::string>, bool> measured_;
};

/// The records of a file, without touching it. Throws InputError where it is no calibration.
std::vector<Record> read_records(const std::string& path);

/// The latest measurement of every case of a pass, in the order of the file.
std::vector<Measurement> latest(const std::vector<Record>& records, Pass pass = Pass::time);

}  // namespace dodona::calibrate

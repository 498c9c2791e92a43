// The file of a calibration's records: read whole, then appended to, a line at a time.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

class Journal {
public:
    /// Opens or creates the file and locks it against other calibrations. Removes a last line that is incomplete;
    /// throws InputError for any other fault in the file, and where it cannot be written.
    explicit Journal(std::string path);
    ~Journal();  ///< without a record there is no file
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    [[nodiscard]] const std::vector<Record>& records() const { return records_; }
    /// Measured before; what failed before is not.
    [[nodiscard]] bool has(const std::string& backend, Pass pass, const Case& of) const;
    /// On the disk when it returns. Throws InputError where that fails.
    void append(const Record& record);

private:
    void note(const Record& record);

    std::string path_;
    int file_ = -1;
    std::vector<Record> records_;
    std::map<std::tuple<std::string, Pass, std::string>, bool> measured_;
};

/// The records of a file, without touching it. Throws InputError where it is no calibration.
std::vector<Record> read_records(const std::string& path);

/// The latest measurement of every case of a pass, in the order of the file.
std::vector<Measurement> latest(const std::vector<Record>& records, Pass pass = Pass::time);

}  // namespace dodona::calibrate

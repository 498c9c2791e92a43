// A report as a record, `dodona/report/1`, and back.
#pragma once

#include <string>
#include <vector>

#include "reports/collect/report.hpp"
#include "reports/document/record.hpp"

namespace dodona::reports {

inline constexpr std::string_view kReportSchema = "dodona/report/1";

Record report_record(const Report& report);

/// A record a point: for tables.
std::vector<Record> report_rows(const Report& report);

/// `name`: of the file that the record was read from, for messages. Throws InputError where it is no report of this version,
/// naming every key that is missing, of another type or unknown.
Report report_from(const Record& record, const std::string& name);

/// A point by itself, and back: what ranks of a sweep send each other. Throws InputError as report_from does.
Record point_record(const ReportPoint& point);
ReportPoint point_from(const Record& record, const std::string& name);

}  // namespace dodona::reports

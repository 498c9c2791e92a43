// How thorough a list of cases is.
#pragma once

namespace dodona::calibrate {

struct CaseOptions {
    bool quick = false;
};

}  // namespace dodona::calibrate

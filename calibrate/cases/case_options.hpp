// What lists of cases have in common.
#pragma once

namespace dodona::calibrate {

struct CaseOptions {
    bool quick = false;
};

}  // namespace dodona::calibrate

// How much a list of cases asks for.
#pragma once

namespace dodona::calibrate {

struct CaseOptions {
    bool quick = false;
};

}  // namespace dodona::calibrate

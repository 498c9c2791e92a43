// How many cases a list has: all, or a quick selection.
#pragma once

namespace dodona::calibrate {

struct CaseOptions {
    bool quick = false;
};

}  // namespace dodona::calibrate

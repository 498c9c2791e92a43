// The one function of the context module, as calibrate/record/exchange.hpp says.
#include <memory>

#include "calibrate/cuda/driver_check.hpp"
#include "calibrate/cuda/instrument.hpp"
#include "calibrate/record/exchange.hpp"

namespace {

std::unique_ptr<dodona::calibrate::Instrument> make(const dodona::calibrate::Settings& settings) {
    dodona::calibrate::cuda::require_device();
    try {
        return dodona::calibrate::cuda::make_instrument(settings);
    } catch (const dodona::calibrate::CannotMeasure& error) {
        throw dodona::calibrate::InstrumentMissing(
            {.why = error.what(), .help = "another program may hold the GPU; `nvidia-smi` shows which"});
    }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int dodona_measure(int in, int out) {
    return dodona::calibrate::serve("cuda", make, in, out);
}

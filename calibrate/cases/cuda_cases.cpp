#include "calibrate/cases/cuda_cases.hpp"

namespace dodona::calibrate {

namespace {

// Products: square ones, then the four of a transformer's block (7B: width 4096, 11008 inside), then tall, flat, deep and
// prime ones, and such as leave a wave of tiles nearly empty; in eight bits only extents of whole sixteens.
// Convolutions: of ResNet-50 (He et al., arXiv:1512.03385, table 1) the first layer, and of each stage the bottleneck's
// three. Compression: densities, passes and blocks of exchanges that do not say theirs (oracle/exchange/exchange.hpp).
constexpr const char* kDeviceCases = R"(
matmul m:n:k=512:512:512,1024:1024:1024*,2048:2048:2048,4096:4096:4096*,4096:12288:4096,4096:11008:4096,4096:4096:11008
 batch=1 direction=forward precision=bf16,fp16,tf32,fp32,fp8
matmul m:n:k=8192:8192:8192 batch=1 direction=forward precision=bf16*,fp16,tf32,fp32,fp8
full matmul m:n:k=256:4096:4096,512:4096:4096,2048:4096:4096,16384:4096:4096,64:8192:8192,16:8192:8192,8192:8192:256,
 8192:8192:1024,256:256:65536,2112:2048:4096,4224:4096:4096,4352:4096:4096,3072:3072:3072,6144:6144:6144,
 4088:4088:4088,4096:32000:4096,65536:256:256,256:65536:256,50176:64:256,16384:16384:4096
 batch=1 direction=forward precision=bf16
full matmul m:n:k=128:4096:4096,1024:4096:4096,32768:1024:1024,8192:256:8192,1024:1024:32768,2176:2048:4096,
 1536:1536:1536,4096:50304:1024,12544:512:2048 batch=1 direction=forward precision=bf16,fp16,tf32,fp32,fp8
full matmul m=1000 n=1000 k=1000 batch=1 direction=forward precision=bf16,fp16,tf32,fp32
matmul m:n:k=512:512:512,1024:1024:1024,2048:2048:2048,4096:4096:4096*,8192:8192:8192,4096:12288:4096*,
 4096:11008:4096*,4096:4096:11008* batch=1 direction=backward-input,backward-weight precision=bf16
matmul m:n:k:direction=512:512:64:forward,512:64:512:backward-input batch=16,64*,256,1024 precision=bf16
convolution channels:filters:input:window:stride:pad=3:64:224x224:7x7:2x2:3x3,64:64:56x56:1x1:1x1:0x0,
 64:64:56x56:3x3:1x1:1x1*,64:256:56x56:1x1:1x1:0x0,256:128:56x56:1x1:1x1:0x0,128:128:56x56:3x3:2x2:1x1,
 128:512:28x28:1x1:1x1:0x0,512:256:28x28:1x1:1x1:0x0,256:256:28x28:3x3:2x2:1x1,256:1024:14x14:1x1:1x1:0x0,
 1024:512:14x14:1x1:1x1:0x0,512:512:14x14:3x3:2x2:1x1,512:2048:7x7:1x1:1x1:0x0 images=128 groups=1 dilation=1x1
 direction=forward,backward-input,backward-weight precision=bf16 layout=nhwc
convolution channels:filters:input:stride=64:64:56x56:1x1*,128:128:56x56:2x2,256:256:28x28:2x2,512:512:14x14:2x2
 window=3x3 pad=1x1 groups=1 dilation=1x1 direction=forward
 images:precision:layout=128:bf16:nchw,64:tf32:nhwc,32:fp32:nchw
attention batch:queries:keys=32:512:512,16:1024:1024,8:2048:2048*,4:4096:4096,2:8192:8192
 heads:kv_heads:head=32:32:64,16:16:128* causal=0,1 direction=forward,backward-input precision=bf16
attention batch=4 queries=4096 keys=4096 heads=32 kv_heads=8 head=128 causal=1 direction=forward,backward-input
 precision=bf16
stream pattern=read,write,copy,triad bytes=4Ki..4Gi^4|4Ki..4Gi^32
gather rows=50304 width=64,128,1024*,4096 lookups=16384 direction=forward,backward-input precision=bf16
compression kernel=exact-top-k,threshold-top-k elements=64Ki,1Mi,16Mi*,128Mi density=0.001 passes=20
compression kernel=int8,fp8,int4,1-bit elements=64Ki,1Mi,16Mi*,128Mi block=256
recurrent gates:inputs=2048:512,4096:1024*,8192:2048,1536:512,3072:1024,6144:2048,512:512,1024:1024,2048:2048
 samples=64 cells=1 direction=forward precision=fp16
recurrent inputs:gates=2048:512,4096:1024*,8192:2048,1536:512,3072:1024,6144:2048,512:512,1024:1024,2048:2048
 samples=64 cells=1 direction=backward-weight precision=fp16
full recurrent gates:inputs:direction=4096:1024:forward,1024:4096:backward-weight samples=64 cells:precision=4:fp16,1:fp32
copy from:to=pinned:device,device:pinned,pageable:device,device:pageable,device:device bytes=4Ki..1Gi^8|4Ki..1Gi^512
launch kind=plain,graph
interference kernel=matmul m=4096 n=4096 k=4096 batch=1 direction=forward precision=bf16 resource=copy,memory
interference kernel=stream bytes=256Mi pattern=copy resource=copy,memory
)";

constexpr const char* kBetweenDevices = R"(
interference kernel=matmul m=4096 n=4096 k=4096 batch=1 direction=forward precision=bf16 resource=collective
send pattern=ping-pong,window bytes=8..256Mi^4|8..256Mi^64 groups=1
)";

constexpr const char* kDeviceCollectives = R"(
collective collective=all-reduce,reduce-scatter,all-gather,all-to-all,broadcast bytes=4Ki..1Gi^2|4Ki..1Gi^32
 ranks=$ranks ranks_per_node=$ranks groups=1 in_place=0 algorithm=free
collective collective=all-reduce bytes=64Mi ranks=$ranks ranks_per_node=$ranks groups=1 in_place=1 algorithm=free
)";

// Parts of eight values and of blocks, few elements and all.
constexpr const char* kChecks = R"(
matmul m=96 n=160 k=224 precision:batch=fp32:3,tf32:3,fp16:3,bf16:3,fp8:1
 direction=forward,backward-input,backward-weight
convolution images=2 channels=16 filters=32 groups=1 input=14x14 window=3x3 pad=1x1 dilation=1x1
 stride:layout=2x2:nhwc,1x1:nchw precision=fp32,tf32,fp16,bf16 direction=forward,backward-input,backward-weight
recurrent samples=8 cells=2 gates:inputs=256:64,192:64,64:64 precision=fp32,bf16 direction=forward
recurrent samples=8 cells=2 inputs:gates=256:64,192:64,64:64 precision=fp32,bf16 direction=backward-weight
attention batch=2 heads=4 kv_heads=4,2 queries=256 keys=256 head=64 causal=0,1 precision=bf16
 direction=forward,backward-input
gather rows=50 width=96 lookups=70 precision=fp32,fp16,bf16 direction=forward,backward-input
compression kernel=exact-top-k,threshold-top-k elements=5,2048,12345 density:passes=0.01:20,1:3
compression kernel=int8,fp8,int4,1-bit elements=5,2048,12345 block=256,24
stream pattern=write,copy,triad bytes=48000
copy from=pinned,pageable,device to=device bytes=100000
)";

constexpr const char* kCheckedCollectives = R"(
collective collective=all-reduce,reduce-scatter,all-gather,all-to-all,broadcast bytes=16Ki ranks=$ranks
 ranks_per_node=$ranks groups=1 in_place=0 algorithm=free
)";

void add(std::vector<Case>& cases, std::vector<Case> more) { cases.insert(cases.end(), more.begin(), more.end()); }

}  // namespace

std::vector<Case> cuda_cases(const CaseOptions& options, int devices) {
    std::vector<Case> cases = listed_cases(kDeviceCases, options);
    if (devices > 1) {
        add(cases, listed_cases(kBetweenDevices, options));
        for (int ranks = 2; ranks < devices; ranks *= 2) {
            add(cases, listed_cases(kDeviceCollectives, options, {{"ranks", static_cast<double>(ranks)}}));
        }
        add(cases, listed_cases(kDeviceCollectives, options, {{"ranks", static_cast<double>(devices)}}));
    }
    return cases;
}

std::vector<Case> cuda_check_cases(int devices) {
    std::vector<Case> cases = listed_cases(kChecks, {});
    for (int ranks = 2; ranks <= devices; ranks *= 2) {
        add(cases, listed_cases(kCheckedCollectives, {}, {{"ranks", static_cast<double>(ranks)}}));
    }
    for (Case& one : cases) {
        one.parameters["check"] = 1.0;
    }
    return cases;
}

}  // namespace dodona::calibrate

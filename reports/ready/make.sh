#!/bin/sh
# make.sh [DODONA [FOLDER]]: writes the ready reports anew, with that program into that folder; default: ./dodona, here.
set -eu
root=$(CDPATH='' cd -- "$(dirname "$0")/../.." && pwd -P)
program=${1:-$root/dodona}
folder=${2:-$root/reports/ready}
cd "$root"

# ParaDL's convolutional networks on ABCI, with the runs of its Table VIII: filter and channel parallelism share one batch,
# hybrids bring samples with each GPU.
paradl() {
    model=$1
    shift
    "$program" report "$model" --machine abci-chainermn --gpus 1..256 --precision fp32 \
        --strategy data,data+spatial,data+filter,filter,channel \
        --measured lab/evidence/tables/paradl-tab8.csv --conventions lab/evidence/conventions.yaml "$@" \
        -o "$folder/$model-abci.md"
}
paradl resnet50 --batch-per-gpu 16 --batch 64
paradl vgg16 --batch-per-gpu 8 --batch 32
"$program" report llama-3.1-405b --machine dgx-h100 --gpus 256..16384 --batch 2048 -o "$folder/llama-3.1-405b-h100.md"
"$program" report gpt3-175b --machine selene --gpus 64..4096 --batch 1536 -o "$folder/gpt3-175b-a100.md"
"$program" report cosmoflow --machine abci --gpus 1..1024 --batch-per-gpu 1 -o "$folder/cosmoflow-abci.md"

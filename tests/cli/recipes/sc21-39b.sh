#!/bin/bash
# NVIDIA/Megatron-LM: examples/academic_paper_scripts/sc21/run_table_1.sh, CONFIG.sh and SRUN.sh. What the paper's code did and
# later defaults do not is in flags of later: attention of its own kernels, no overlap of sends. The GPT-2 vocabulary is padded to 51200.
#SBATCH --nodes=64
#SBATCH --exclusive --mem=0 --overcommit --ntasks-per-node=8
TP=8
PP=2
MBS=4
GBS=1536
NLS=48
HS=8192
NAH=64
DDP=local
MEGATRON_EXTRA_PARAMS="--recompute-method uniform "
MEGATRON_PARAMS=" ${MEGATRON_EXTRA_PARAMS} \
    --tensor-model-parallel-size ${TP} \
    --pipeline-model-parallel-size ${PP} \
    --micro-batch-size ${MBS} \
    --global-batch-size ${GBS} \
    --num-layers ${NLS} \
    --hidden-size ${HS} \
    --num-attention-heads ${NAH} \
    --DDP-impl ${DDP} \
    --seq-length 2048 \
    --max-position-embeddings 2048 \
    --vocab-size 51200 \
    --transformer-impl local \
    --no-overlap-p2p-communication \
    --train-iters 500 \
    --lr 0.0001 \
    --clip-grad 1.0 \
    --fp16 \
    --loss-scale 8192 "
srun -l sh -c "python -u pretrain_gpt.py ${MEGATRON_PARAMS}"

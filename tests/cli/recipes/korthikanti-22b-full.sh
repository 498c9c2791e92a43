#!/bin/bash
# Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, arXiv:2205.05198, Tables 3 and 5, as flags of
# NVIDIA/Megatron-LM; attention of its own kernels and no overlap of sends are what its code of 2022 did.
#SBATCH --nodes=1 --ntasks-per-node=8
srun python pretrain_gpt.py \
    --tensor-model-parallel-size 8 \
    --pipeline-model-parallel-size 1 \
    --num-layers 48 \
    --hidden-size 6144 \
    --num-attention-heads 64 \
    --seq-length 2048 \
    --max-position-embeddings 2048 \
    --micro-batch-size 4 \
    --global-batch-size 4 \
    --vocab-size 51200 \
    --transformer-impl local \
    --no-gradient-accumulation-fusion --no-overlap-p2p-communication \
    --recompute-granularity full --recompute-method uniform \
    --fp16

#!/bin/bash
# Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, arXiv:2205.05198, Tables 3 and 5, as flags of
# NVIDIA/Megatron-LM; attention of its own kernels and no overlap of sends are what its code of 2022 did.
#SBATCH --nodes=8 --ntasks-per-node=8
srun python pretrain_gpt.py \
    --tensor-model-parallel-size 8 \
    --pipeline-model-parallel-size 8 --num-layers-per-virtual-pipeline-stage 4 \
    --num-layers 96 \
    --hidden-size 12288 \
    --num-attention-heads 96 \
    --seq-length 2048 \
    --max-position-embeddings 2048 \
    --micro-batch-size 1 \
    --global-batch-size 64 \
    --vocab-size 51200 \
    --transformer-impl local \
    --no-gradient-accumulation-fusion --no-overlap-p2p-communication \
    --sequence-parallel --recompute-granularity selective \
    --fp16

"""Logistic regression by stochastic gradient descent on made-up data, in plain Python: train.py EPOCHS WIDTH RATE"""
import math
import random
import sys

epochs, width, rate = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
rng = random.Random(1)
truth = [rng.gauss(0, 1) for _ in range(width)]
samples = []
for _ in range(2000):
    x = [rng.gauss(0, 1) for _ in range(width)]
    samples.append((x, 1 if sum(a * b for a, b in zip(x, truth)) > 0 else 0))
weights = [0.0] * width
for epoch in range(epochs):
    right = 0
    for x, y in samples:
        p = 1 / (1 + math.exp(-max(-30, min(30, sum(a * b for a, b in zip(x, weights))))))
        right += (p > 0.5) == (y == 1)
        step = rate * (y - p)
        weights = [w + step * v for w, v in zip(weights, x)]
    print(f"epoch {epoch + 1}: accuracy {right / len(samples):.3f}", flush=True)

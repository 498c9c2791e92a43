# %% [markdown]
# # How many GPUs for a network of 8 billion parameters?
#
# A notebook in the percent format: Jupyter (with jupytext), VS Code and Spyder open it as cells, Python runs it as it is.
# `import dodona` needs the wheel ([bindings](bindings.md)); tables need pandas, the picture needs matplotlib.

# %%
import dodona

MODEL, MACHINE, BATCH = "llama-3.1-8b", "dgx-h100", 512

# %% [markdown]
# ## The best plan for 16 GPUs

# %%
answer = dodona.plan(MODEL, MACHINE, gpus=16, batch=BATCH, top=3)
best = answer.best
print(f"{best.strategy} on {best.mesh}: {best.step_time.value:.1f} s, {best.step_time.lo:.1f} to {best.step_time.hi:.1f} s")

# %% [markdown]
# ## Where the time goes

# %%
for part, time in sorted(best.time.items(), key=lambda entry: -entry[1])[:3]:
    print(f"{part:12} {time:6.2f} s {time / best.step_time.value:6.1%}")

# %% [markdown]
# ## From 8 to 128 GPUs: the same strategy on each number

# %%
predictions = {gpus: dodona.predict(MODEL, MACHINE, gpus, batch=BATCH, strategy="zero3").plan for gpus in (8, 16, 32, 64, 128)}
for gpus, plan in predictions.items():
    print(f"{gpus:4} GPUs  {plan.step_time.value:6.2f} s  {plan.tokens_per_s:10,.0f} tokens/s  MFU {plan.mfu:.1%}")

# %% [markdown]
# ## As a table

# %%
try:
    import pandas
except ImportError:
    print("no table: pandas is not installed")
    frame = None
else:
    frame = pandas.DataFrame([dict(plan.row(), gpus=gpus) for gpus, plan in predictions.items()]).set_index("gpus")
    print(frame[["step_time_s", "tokens_per_s", "mfu"]].round(3))

# %% [markdown]
# ## As a picture

# %%
try:
    import matplotlib.pyplot as plot
except ImportError:
    print("no picture: matplotlib is not installed")
else:
    if frame is not None:
        axes = frame["tokens_per_s"].plot(logx=True, logy=True, marker="o", title=f"{MODEL} on {MACHINE}")
        axes.set_ylabel("tokens/s")
        plot.savefig("scaling.png")

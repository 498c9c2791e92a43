"""The package dodona, as its wheel has it. run_wheel.py runs this."""

import dataclasses
import inspect
import json
import os
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import dodona

try:
    import pandas
except ImportError:
    pandas = None


def command(*words):
    """What the program prints."""
    environment = dict(os.environ, DODONA_DATA=os.environ["DODONA_SOURCE"])
    return subprocess.run([os.environ["DODONA_PROGRAM"], *words], env=environment, capture_output=True, text=True).stdout


class Answers(unittest.TestCase):
    def test_of_predict_is_that_of_the_command(self):
        answer = dodona.predict("megatron-22b", "selene", 8, batch=4, strategy="megatron-sequence", mesh={"tensor": 8, "data": 1},
                                recompute="selective")
        due = json.loads(command("predict", "megatron-22b", "--machine", "selene", "--gpus", "8", "--batch", "4", "--strategy",
                                 "megatron-sequence", "--mesh", "tensor=8,data=1", "--recompute", "selective", "--format", "json"))
        self.assertEqual(answer.raw, due)
        self.assertEqual(answer.plan.step_time.value, due["plan"]["step_time_s"]["value"])
        self.assertEqual(answer.plan.mesh, {"tensor": 8, "data": 1})
        self.assertAlmostEqual(sum(answer.plan.time.values()), answer.plan.step_time.value, places=9)
        self.assertEqual(sum(answer.plan.memory.values()), answer.plan.memory_total)

    def test_text_is_that_of_the_command(self):
        self.assertEqual(dodona.ask_text("models", "resnet50"), command("models", "resnet50", "--format", "json"))

    def test_are_of_the_data_in_the_wheel(self):
        self.assertTrue((Path(dodona.__file__).parent / "share/dodona/models").is_dir())
        for kind in ("models", "machines", "devices", "strategies", "software"):
            self.assertEqual(dodona.ask_text(kind), command(kind, "--format", "json"), kind)

    def test_of_a_configuration_of_hugging_face_are_those_of_the_command(self):
        given = Path(os.environ["DODONA_SOURCE"], "models/hub/qwen3-0.6b.json").read_text()
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "config.json")
            config.write_text(given)
            self.assertEqual(dodona.ask_text("models", str(config)), command("models", str(config), "--format", "json"))

    def test_of_plan_are_ranked(self):
        answer = dodona.plan("resnet50", "abci", 8, top=3)
        self.assertEqual(len(answer.plans), 3)
        self.assertIs(answer.best, answer.plans[0])
        self.assertTrue(answer.best.fits)
        self.assertLess(answer.best.step_time.lo, answer.best.step_time.hi)

    def test_of_plan_say_why_nothing_fits(self):
        answer = dodona.plan("gpt3-175b", "abci", 1)
        self.assertEqual(answer.plans, ())
        self.assertTrue(answer.infeasible)
        with self.assertRaisesRegex(LookupError, "nothing fits: "):
            answer.best

    def test_of_size_have_what_was_looked_at(self):
        answer = dodona.size("resnet50", ["abci", "selene"], samples=1e9, deadline="10d", gpus="8..16")
        self.assertEqual([one.machine for one in answer.machines], ["abci", "selene"])
        self.assertIn(answer.best, ("abci", "selene"))
        self.assertTrue(answer.machines[0].attempts)

    def test_of_simulate_stand_beside_the_closed_form(self):
        answer = dodona.simulate("resnet50", "abci", 8, strategy="data")
        self.assertAlmostEqual(answer.step_time / answer.plan.step_time.value - 1, answer.difference, places=6)

    def test_are_frozen_and_typed(self):
        answer = dodona.predict("resnet50", "abci", 8, strategy="data")
        with self.assertRaises(dataclasses.FrozenInstanceError):
            answer.plan.batch = 3
        self.assertTrue((Path(dodona.__file__).parent / "py.typed").is_file())
        for name in ("plan", "predict", "simulate", "size", "ask"):
            signature = inspect.signature(getattr(dodona, name))
            self.assertIsNot(signature.return_annotation, inspect.Signature.empty, name)

    def test_are_as_promised(self):
        for name in dodona.__all__:
            self.assertTrue(hasattr(dodona, name), name)


class Faults(unittest.TestCase):
    def test_have_the_message_of_the_command(self):
        with self.assertRaisesRegex(dodona.BadInput, 'unknown model "resnet51"; did you mean "resnet50"'):
            dodona.predict("resnet51", "abci", 8, strategy="data")
        with self.assertRaisesRegex(dodona.BadInput, 'did you mean "strategy"'):
            dodona.predict("resnet50", "abci", 8, strateg="data")
        with self.assertRaises(ValueError):
            dodona.ask("nothing")

    def test_of_missing_data_are_of_their_own_kind(self):
        os.environ["DODONA_DATA"] = "/nowhere"
        try:
            with self.assertRaisesRegex(dodona.MissingPart, "DODONA_DATA is /nowhere"):
                dodona.predict("resnet50", "abci", 8)
        finally:
            del os.environ["DODONA_DATA"]


class Threads(unittest.TestCase):
    def test_may_ask_at_once(self):
        answers = {}

        def asked(gpus):
            answers[gpus] = dodona.predict("resnet50", "abci", gpus, strategy="data").plan.mesh

        threads = [threading.Thread(target=asked, args=(gpus,)) for gpus in (2, 4, 8, 16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, {gpus: {"data": gpus} for gpus in (2, 4, 8, 16)})


class Tables(unittest.TestCase):
    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_of_pandas_have_the_numbers(self):
        answer = dodona.plan("resnet50", "abci", 8, top=3)
        frame = answer.to_pandas()
        self.assertEqual(len(frame), 3)
        self.assertEqual(frame["step_time_s"][0], answer.best.step_time.value)
        parts = answer.best.to_pandas()
        self.assertAlmostEqual(parts["share"].sum(), 1)
        self.assertEqual(len(dodona.simulate("resnet50", "abci", 8, strategy="data").to_pandas()), 1)
        self.assertTrue(dodona.size("resnet50", "abci", samples=1e9, deadline="10d", gpus="8..16").to_pandas()["fits"].any())

    @unittest.skipIf(pandas is not None, "pandas is installed")
    def test_need_pandas(self):
        with self.assertRaisesRegex(ImportError, "python3-pandas"):
            dodona.plan("resnet50", "abci", 8).to_pandas()


if __name__ == "__main__":
    unittest.main()

"""torch_graph.py with the PyTorch that is here: dodona reads what it writes. Without PyTorch the test is skipped (77)."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import torch
except ImportError:
    sys.exit(77)

sys.path.insert(0, str(Path(os.environ["DODONA_SOURCE"]) / "bindings/python/dodona"))
import torch_graph  # noqa: E402


class Tied(torch.nn.Module):
    """Words, a feed-forward network, and a head that shares the table of the words."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(100, 32)
        self.norm = torch.nn.LayerNorm(32)
        self.up = torch.nn.Linear(32, 128)
        self.down = torch.nn.Linear(128, 32, bias=False)
        self.head = torch.nn.Linear(32, 100, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens):
        x = self.words(tokens)
        return self.head(x + self.down(torch.nn.functional.gelu(self.up(self.norm(x)))))


def imported(model, *inputs):
    """The model file and the notes that dodona writes of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.json")
        torch_graph.save(model, inputs, path)
        done = subprocess.run([os.environ["DODONA_PROGRAM"], "import", path], capture_output=True, text=True, check=False)
        return done.stdout, done.stderr


class Graphs(unittest.TestCase):
    def test_a_tied_table_is_one_weight(self):
        text, notes = imported(Tied(), torch.zeros(2, 16, dtype=torch.long))
        self.assertEqual(notes, f"note: {100 * 32 + 2 * 32 + 33 * 128 + 128 * 32:,} parameters\n")
        for line in ("op: embedding", "op: layer_norm", "op: gelu", "role: column, out: 128", "role: row, out: 32", "tied: "):
            self.assertIn(line, text)

    def test_a_network_of_images_has_its_windows(self):
        layers = [torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
                  torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 10)]
        text, notes = imported(torch.nn.Sequential(*layers), torch.zeros(4, 3, 16, 16))
        self.assertEqual(notes, f"note: {8 * 28 + 16 + 90} parameters\n")
        for line in ("filters: 8, kernel: 3, pad: 1", "op: batch_norm", "op: max_pool, kernel: 2", "op: global_pool"):
            self.assertIn(line, text)


if __name__ == "__main__":
    unittest.main()

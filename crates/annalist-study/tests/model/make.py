#!/usr/bin/env python3
"""Makes the model of the tests: a table that has a row of numbers for each word piece. Needs `pip install onnx`.

    python make.py      writes model.onnx, vocab.txt, config.json and tokenizer_config.json beside itself
"""
import json
import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-MISC"]
PIECES = {
    "Zyx": "B-PER", "Qwopp": "I-PER", "Αθή": "B-LOC", "##να": "O", "希": "B-LOC", "腊": "I-LOC",
    "Гр": "B-ORG", "##инпис": "O", "Müllro": "B-LOC", "##se": "O", "Greek": "B-MISC", ".": "O", ",": "O",
}

here = pathlib.Path(__file__).parent
vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *PIECES]
table = numpy.zeros((len(vocabulary), len(LABELS)), dtype=numpy.float32)
for row, piece in enumerate(vocabulary):
    table[row, LABELS.index(PIECES.get(piece, "O"))] = 8.0
nodes = [
    helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
    # As in real models, the mask takes part, and every number goes through a linear layer.
    helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
    helper.make_node("Unsqueeze", ["mask", "last"], ["masks"]),
    helper.make_node("Mul", ["rows", "masks"], ["kept"]),
    helper.make_node("MatMul", ["kept", "weights"], ["logits"]),
]
text = lambda name: helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"])
graph = helper.make_graph(
    nodes,
    "table",
    [text("input_ids"), text("attention_mask")],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "sequence", len(LABELS)])],
    [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(numpy.eye(len(LABELS), dtype=numpy.float32), "weights"),
        numpy_helper.from_array(numpy.array([-1], dtype=numpy.int64), "last"),
    ],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
onnx.checker.check_model(model)
onnx.save(model, here / "model.onnx")
(here / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
config = {"id2label": {str(n): label for n, label in enumerate(LABELS)}, "max_position_embeddings": 64}
config["vocab_size"] = len(vocabulary)
(here / "config.json").write_text(json.dumps(config, indent=1) + "\n")
(here / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": False, "strip_accents": False}) + "\n")

#!/usr/bin/env python3
"""Checks tritcc's SARIF logs by the schema of the format.

usage: sarif.py TRITCC sarif-schema-2.1.0.json FILE...

Each FILE is compiled as it is, with all warnings and remarks, and cut off in its middle; each log must be valid.
Needs the package jsonschema."""
import json
import os
import subprocess
import sys
import tempfile

import jsonschema

tritcc, schema, files = sys.argv[1], json.load(open(sys.argv[2])), sys.argv[3:]
kind = jsonschema.validators.validator_for(schema)
kind.check_schema(schema)
validator = kind(schema, format_checker=jsonschema.FormatChecker())
failures = results = 0
for file in files:
    with tempfile.TemporaryDirectory() as folder:
        half = os.path.join(folder, "größe 1.tri")
        text = open(file, "rb").read()
        open(half, "wb").write(text[: len(text) // 2])
        for name in (file, half):
            command = [tritcc, name, "-fdiagnostics-format=sarif", "-Wall", "-Rpass=all", "-Rpass-missed=all", "-emit=ptx=-"]
            run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            log = json.loads(run.stderr)
            results += len(log["runs"][0]["results"])
            for error in validator.iter_errors(log):
                failures += 1
                print(f"{' '.join(command)}: {error.json_path}: {error.message[:300]}")
print(f"{2 * len(files)} logs, {results} results, {failures} breaches of the schema")
sys.exit(failures != 0 or results == 0)

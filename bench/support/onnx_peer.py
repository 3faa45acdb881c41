"""A model of bench/onnx.c in ONNX Runtime: prints milliseconds of loading and of the first run, the growth of its memory
in megabytes, and the milliseconds of each run, one per line."""
import argparse
import glob
import os
import re
import time

options = argparse.ArgumentParser()
options.add_argument("--model")
options.add_argument("--threads", type=int, default=1)
options.add_argument("--runs", type=int, default=10)
options.add_argument("--warm", type=int, default=2)
options.add_argument("--probe", action="store_true")
options = options.parse_args()

import onnx
import onnxruntime
from onnx import numpy_helper


def status_mb(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field)) * 1024 / 1e6


def main():
    if options.probe:
        return print(onnxruntime.__version__)
    values = {}
    for path in glob.glob(os.path.join(options.model, "test_data_set_0", "input_*.pb")):
        with open(path, "rb") as file:
            number = int(re.search(r"(\d+)\.pb$", path).group(1))
            values[number] = numpy_helper.to_array(onnx.TensorProto.FromString(file.read()))
    setup = onnxruntime.SessionOptions()
    setup.intra_op_num_threads = options.threads
    setup.log_severity_level = 3
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before, times, begin = status_mb("VmRSS:"), [], time.perf_counter()
    session = onnxruntime.InferenceSession(os.path.join(options.model, "model.onnx"), setup,
                                           providers=["CPUExecutionProvider"])
    load = time.perf_counter() - begin
    feed = {port.name: values[i] for i, port in enumerate(session.get_inputs()) if i in values}
    for _ in range(options.warm + options.runs):
        begin = time.perf_counter()
        session.run(None, feed)
        times.append(time.perf_counter() - begin)
    print(1e3 * load, 1e3 * times[0], status_mb("VmHWM:") - before, sep="\n")
    for seconds in times[options.warm:]:
        print(1e3 * seconds)


if __name__ == "__main__":
    main()

"""The reader of bench/table.c in pandas: prints the milliseconds of one read of a csv file by its C engine."""
import sys
import time

import pandas

if sys.argv[1] == "--probe":
    print(pandas.__version__)
else:
    begin = time.perf_counter()
    table = pandas.read_csv(sys.argv[1], engine="c")
    print(f"{1000 * (time.perf_counter() - begin):.3f}")

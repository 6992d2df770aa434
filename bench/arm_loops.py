#!/usr/bin/env python3
"""Analyzes the inner loops of matrix products for AArch64 by llvm-mca, which models processors.

usage: arm_loops.py [BUILD] [--mca llvm-mca-19]

BUILD is the folder of preset arm64 (default: build-arm64). For each product, its longest tile, and each processor: cycles
of a step of the loop, and the share of the peak, which is the speed of a loop of the same multiply-adds alone. The models
assume that all data is in the first-level cache. Nothing is executed: no processor has confirmed these numbers.
"""
import argparse
import pathlib
import re
import subprocess

PROCESSORS = ["neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2"]
LACK = {"neoverse-n1": {"bfdot", "smmla"}}
# Products: their source, and the instruction that does their work.
PRODUCTS = {
    "f32, neon": ("neon_f32.dir/kernels/multiply.cpp.o", "fmla"),
    "bf16, neon_bf16": ("neon_pairs.dir/kernels/bf16/multiply_pairs.cpp.o", "bfdot"),
    "int8, neon_dotprod": ("neon_dotprod.dir/kernels/int8/multiply_quads.cpp.o", "sdot"),
    "int8, neon_i8mm": ("neon_i8mm.dir/kernels/int8/multiply_octets.cpp.o", "smmla"),
}
ALONE = {
    "fmla": "fmla v{0}.4s, v30.4s, v31.s[0]",
    "bfdot": "bfdot v{0}.4s, v30.8h, v31.2h[0]",
    "sdot": "sdot v{0}.4s, v30.16b, v31.4b[0]",
    "smmla": "smmla v{0}.4s, v30.16b, v31.16b",
}


def instructions(path):
    """Yields the instructions of multiply<12>, the longest tile: address, text."""
    text = subprocess.run(["aarch64-linux-gnu-objdump", "-dC", "--no-show-raw-insn", path], check=True,
                          capture_output=True, text=True).stdout
    function = next(f for f in text.split("\n\n") if re.search(r"multiply<12>\(.*>:\n", f + "\n"))
    for line in function.splitlines():
        if match := re.match(r" *([0-9a-f]+):\t(.*)", line):
            yield int(match[1], 16), re.sub(r" *(//|<).*", "", match[2])


def inner_loop(path, work):
    """Returns the texts of the innermost loop that has most of the instructions that do the work."""
    code = list(instructions(path))
    loops = []
    for end, (address, text) in enumerate(code):
        match = re.match(r"b\.\w+\t([0-9a-f]+)", text)
        if match and (target := int(match[1], 16)) < address:
            begin = next(i for i, (at, _) in enumerate(code) if at == target)
            loops.append([t for _, t in code[begin:end]])
    return max(loops, key=lambda loop: (sum(t.startswith(work) for t in loop), -len(loop)))


def cycles(mca, processor, loop):
    """Returns the cycles of an iteration."""
    rounds = 1000
    out = subprocess.run([mca, "--mtriple=aarch64", f"--mcpu={processor}", f"--iterations={rounds}"],
                         input="\n".join(loop), check=True, capture_output=True, text=True).stdout
    return int(re.search(r"Total Cycles: +(\d+)", out)[1]) / rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default="build-arm64")
    parser.add_argument("--mca", default="llvm-mca-19", help="llvm-mca of LLVM 19 or later, which knows these processors")
    options = parser.parse_args()
    objects = pathlib.Path(options.build) / "src/backend/cpu/CMakeFiles"
    print("| product | processor | instructions of a step | cycles | of peak |\n|---|---|--:|--:|--:|")
    for product, (path, work) in PRODUCTS.items():
        loop = inner_loop(objects / f"nmt_cpu_{path}", work)
        count = sum(t.startswith(work) for t in loop)
        alone = [ALONE[work].format(i) for i in range(24)]
        for processor in PROCESSORS:
            if work in LACK.get(processor, ()):
                continue
            peak = cycles(options.mca, processor, alone) / len(alone) * count
            taken = cycles(options.mca, processor, loop)
            print(f"| {product} | {processor} | {len(loop)} | {taken:.2f} | {100 * peak / taken:.0f} % |")


if __name__ == "__main__":
    main()

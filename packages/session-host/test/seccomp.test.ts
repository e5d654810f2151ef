import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ARCHITECTURES, REFUSED_CALLS } from "../src/sandbox/seccomp.ts";

const HEADERS = {
  x64: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
  arm64: "/usr/include/asm-generic/unistd.h",
};

for (const architecture of ["x64", "arm64"] as const) {
  const header = HEADERS[architecture];
  it.runIf(existsSync(header))(`has the kernel's numbers of ${architecture}`, () => {
    const lines = readFileSync(header, "utf8").matchAll(
      /^#define __NR3?264?_?(\w+)\s+(\d+)$|^#define __NR_(\w+)\s+(\d+)$/gm,
    );
    const known = new Map([...lines].map((line) => [line[3] ?? line[1], Number(line[4] ?? line[2])]));
    const { clone, clone3, socket, ioctl } = ARCHITECTURES[architecture];
    const refused = Object.entries(REFUSED_CALLS).map(([name, numbers]) => [name, numbers[architecture]]);
    const ours = { ...Object.fromEntries(refused), clone, clone3, socket, ioctl };
    // Older headers lack newer calls.
    const wrong = Object.entries(ours).filter(
      ([name, number]) => known.has(name) && known.get(name) !== number,
    );
    expect(wrong).toEqual([]);
    expect(known.get("mount")).toBe(ours.mount);
  });
}

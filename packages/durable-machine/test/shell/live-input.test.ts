import { expect, it } from "vitest";
import { onMachine } from "./processes.ts";

const encoder = new TextEncoder();

/** Input to write once the output ends with `after`; null closes the input. */
type Step = [after: string, input: string | null];

it.each<[string, [string, ...string[]], Step[], string]>([
  [
    "read",
    ["bash", "-c", "echo up; read a; echo got $a; read b; echo got $b"],
    [
      ["up\n", "one\n"],
      ["got one\n", "two\n"],
    ],
    "up\ngot one\ngot two\n",
  ],
  [
    "cat",
    ["cat"],
    [
      ["", "x\n"],
      ["x\n", "y"],
      ["y", null],
    ],
    "x\ny",
  ],
  [
    "a loop of read",
    ["bash", "-c", 'while read -r l; do echo "<$l>"; done; echo end'],
    [
      ["", "1\n2\n"],
      ["<2>\n", "3\n"],
      ["<3>\n", null],
    ],
    "<1>\n<2>\n<3>\nend\n",
  ],
  [
    "read of characters",
    ["bash", "-c", "read -n 2 a; echo $a; read -d , b; echo $b"],
    [["", "xyz,"]],
    "xy\nz\n",
  ],
  [
    "read with a time limit",
    ["bash", "-c", "read -t 0.05 a; echo $(($? > 0)); read b; echo $b"],
    [["1\n", "late\n"]],
    "1\nlate\n",
  ],
  ["dd", ["dd", "bs=1", "count=3"], [["", "abcdef"]], "abc"],
  ["head", ["head", "-n1"], [["", "first\nsecond\n"]], "first\n"],
  ["head and the next command", ["bash", "-c", "head -n1; read x; echo $x"], [["", "a\nb\n"]], "a\nb\n"],
  [
    "grep",
    ["grep", "x"],
    [
      ["", "ax\nb\n"],
      ["", "cx\n"],
      ["", null],
    ],
    "ax\ncx\n",
  ],
  [
    "sort",
    ["sort"],
    [
      ["", "b\na\n"],
      ["", null],
    ],
    "a\nb\n",
  ],
  [
    "a function",
    ["bash", "-c", "f() { read q; echo f:$q; }; f; f | tr a-z A-Z; echo z | f"],
    [["", "a\nb\n"]],
    "f:a\nF:B\nf:z\n",
  ],
  [
    "a nested shell",
    ["bash", "-c", "bash -c 'read x; echo i $x'; read y; echo o $y"],
    [["", "a\nb\n"]],
    "i a\no b\n",
  ],
  [
    "a script",
    ["bash", "-c", "printf '#!/bin/sh\\nread x; echo s $x' > s; chmod +x s; ./s"],
    [["", "a\n"]],
    "s a\n",
  ],
  [
    "mapfile",
    ["bash", "-c", "mapfile -t a; echo ${#a[@]}"],
    [
      ["", "b\na\n"],
      ["", null],
    ],
    "2\n",
  ],
  [
    "a shell that reads its commands",
    ["bash"],
    [
      ["", "x=5\necho $x\n"],
      ["5\n", "for i in 1 2; do\n"],
      ["", "echo $i$x\ndone\n"],
      ["25\n", "exit 4\n"],
    ],
    "5\n15\n25\n",
  ],
  [
    "a shell that reads commands of several lines",
    ["bash"],
    [
      ["", "if true; then\n"],
      ["", "echo yes; fi; cat <<X\n"],
      ["", "in $((1+1))\nX\n"],
      ["yes\nin 2\n", "exit 3\n"],
    ],
    "yes\nin 2\n",
  ],
])("passes live input to %s", (_, argv, steps, stdout) =>
  onMachine(async (machine) => {
    const started = machine.start(argv, { takesInput: true });
    for (const [after, input] of steps) {
      await started.reaches(after);
      if (input === null) started.process.closeInput();
      else expect(started.process.write(encoder.encode(input))).toBe(true);
    }
    expect((await started.ended()).stdout).toBe(stdout);
  }),
);

it("does not block commands that do not read", () =>
  onMachine(async (machine) => {
    const started = machine.start(
      ["bash", "-c", "echo a; ls /nowhere; grep a /etc/passwd; echo b | cat; sort < /dev/null"],
      { takesInput: true },
    );
    expect((await started.ended()).stdout).toContain("b\n");
  }));

it("rejects input above the limit and after the end", () =>
  onMachine(async (machine) => {
    const started = machine.start(["sleep", "9"], { takesInput: true, limits: { inputBytes: 10 } });
    expect(started.process.write(new Uint8Array(10))).toBe(true);
    expect(started.process.write(new Uint8Array(1))).toBe(false);
    started.process.kill("KILL");
    await started.ended();
    expect(started.process.write(new Uint8Array(1))).toBe(false);
  }));

it("provides empty input by default", () =>
  onMachine(async (machine) => {
    expect((await machine.bash("read x; echo $?; cat; echo end")).stdout).toBe("1\nend\n");
  }));

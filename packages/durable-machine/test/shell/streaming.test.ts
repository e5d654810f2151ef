import { expect, it } from "vitest";
import { ROOT } from "../../src/users.ts";
import { DIRECTORY, onMachine, utf8 } from "./processes.ts";

it.each([
  ["commands", "echo a; echo b; echo c"],
  ["a loop", "for x in a b c; do echo $x; done"],
  ["a loop over input", "printf 'a\\nb\\nc\\n' | while read x; do echo $x; done"],
  ["branches", "if true; then echo a; fi; case x in x) echo b; echo c;; esac"],
  ["a list", "echo a && echo b || echo no; { echo c; }"],
  ["a subshell", "(echo a; echo b); echo c"],
  ["a function", "f() { echo a; echo b; }; f; echo c"],
  ["a function called through a variable", "f() { echo a; echo b; }; g=f; $g; echo c"],
  ["a function in a branch of a loop", "f() { echo $1; }; for x in a b c; do if f $x; then :; fi; done"],
  ["eval", "eval 'echo a; echo b'; echo c"],
  ["a sourced file", "printf 'echo a\\necho b\\n' > l; . ./l; echo c"],
  ["a nested shell", "bash -c 'echo a; echo b'; echo c"],
  ["a script", "printf '#!/bin/sh\\necho a\\necho b\\n' > s; chmod +x s; ./s; echo c"],
  ["a job", "{ echo a; echo b; } & wait; echo c"],
  ["cat of large files", "head -c 300000 /dev/zero | tr '\\0' a > f; cat f f f"],
])("streams the output of %s", (_, script) =>
  onMachine(async (machine) => {
    const pieces: string[] = [];
    await machine.bash(script, {
      onOutput: (_stream, bytes) => void pieces.push(new TextDecoder().decode(bytes)),
    });
    expect(pieces.length).toBeGreaterThanOrEqual(3);
  }),
);

it("keeps stdout and stderr separate and in order", () =>
  onMachine(async (machine) => {
    const received: string[] = [];
    const script =
      "f() { echo 1; echo 2 >&2; }; f; x=$(f); echo 3; f 2>&1 | cat; { f; } 2>/dev/null; ls /none";
    await machine.bash(script, {
      onOutput: (stream, bytes) => void received.push(`${stream} ${new TextDecoder().decode(bytes)}`),
    });
    expect(received.map((line) => line.trim())).toEqual([
      "stdout 1",
      "stderr 2",
      "stderr 2",
      "stdout 3",
      "stdout 1\n2",
      "stdout 1",
      "stderr ls: cannot access '/none': No such file or directory",
    ]);
  }));

it.each([
  ["a command", "bash -c 'echo o; echo e >&2' 3>&1 1>&2 2>&3"],
  ["a command of timeout", "timeout 9 bash -c 'echo o; echo e >&2' 3>&1 1>&2 2>&3"],
  ["a script", "printf '#!/bin/sh\\necho o; echo e >&2\\n' > s; chmod +x s; ./s 3>&1 1>&2 2>&3"],
  ["a function", "f() { echo o; echo e >&2; }; f 3>&1 1>&2 2>&3"],
  ["a group", "{ echo o; echo e >&2; } 3>&2 2>&1 1>&3"],
  ["a subshell", "(echo o; echo e >&2) 3>&2 2>&1 1>&3"],
  ["a loop", "for x in 1; do echo o; echo e >&2; done 3>&2 2>&1 1>&3"],
  ["the script", "exec 3>&2 2>&1 1>&3; echo o; echo e >&2"],
])("swaps stdout and stderr of %s", (_, script) =>
  onMachine(async (machine) => {
    expect(await machine.bash(script)).toMatchObject({ stdout: "e\n", stderr: "o\n" });
  }),
);

it("applies backpressure", () =>
  onMachine(async (machine) => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const started = machine.start(["bash", "-c", "echo a; echo b; echo c > f"], { onOutput: () => gate });
    await started.reaches("a\n");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(machine.files.exists("/tmp/work/f", { uid: 0, gid: 0, umask: 0 })).toBe(false);
    release();
    expect((await started.ended()).stdout).toBe("a\nb\n");
  }));

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join("");

it.each([
  ["a file", "cat f"],
  ["a pipeline", "cat f | cat | cat"],
  ["a function", "g() { cat f; }; g"],
  ["a function in a pipeline", "g() { cat f; }; g | cat"],
  ["a group in a pipeline", "{ cat f; } | cat"],
  ["a loop in a pipeline", "for x in f; do cat $x; done | { cat; }"],
  ["a function into a file", "g() { cat f; }; g > h; cat h"],
  ["a group into a file", "{ cat f; } > h; cat < h"],
  ["branches", "if true; then cat f; fi"],
  ["gzip and gunzip", "gzip -c f | gunzip"],
  ["a nested shell", "bash -c 'cat f'"],
  ["a nested shell in a pipeline", "bash -c 'cat f' | cat"],
  ["a script", "printf '#!/bin/sh\\ncat f\\n' > s; chmod +x s; ./s | cat"],
  ["a job", "cat f & wait"],
  ["a descriptor", "exec 3>h; cat f >&3; exec 3>&-; cat h"],
  ["exec", "exec 5>&1 >h; cat f; exec >&5; cat h"],
  ["eval", "eval 'cat f'"],
  ["tee", "cat f | tee h >/dev/null; cat h"],
  ["base64", "base64 f | base64 -d"],
])("preserves every byte through %s", (_, script) =>
  onMachine(async (machine) => {
    const bytes = Uint8Array.from(ALL_BYTES, (char) => char.charCodeAt(0));
    machine.files.writeAll(`${DIRECTORY}/f`, bytes, ROOT);
    expect((await machine.bash(script)).stdout).toBe(ALL_BYTES);
  }),
);

it("prints every byte", () =>
  onMachine(async (machine) => {
    const { stdout } = await machine.bash(
      "printf '\\x00\\x7f\\x80\\xff\\377'; echo -ne '\\xc3\\xa9\\x00'; printf '\\u00e9é%s' '\u00e9'",
    );
    expect(stdout).toBe(`\u0000\u007f\u0080\u00ff\u00ff\u00c3\u00a9\u0000${utf8("ééé")}`);
  }));

it("passes arguments unchanged", () =>
  onMachine(async (machine) => {
    const args = ["a b", "", "*", "$x", "it's", '"', "\\n", "é\n", "-n", "`x`", "💡"];
    const { stdout } = await machine.run(["printf", "<%s>", ...args]);
    expect(stdout).toBe(utf8(args.map((arg) => `<${arg}>`).join("")));
    expect((await machine.bash('printf "<%s>" "$@"', {}, ...args)).stdout).toBe(stdout);
  }));

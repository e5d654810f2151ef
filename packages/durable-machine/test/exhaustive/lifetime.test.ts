import { expect, it } from "vitest";
import { onMachine } from "../shell/processes.ts";

const ROOT = { uid: 0, gid: 0, umask: 0 };

it.each([
  ["while", "while :; do :; done"],
  ["until", "until false; do :; done"],
  ["for", "for ((;;)); do :; done"],
  ["continue", "while :; do continue; done"],
  ["functions", "f() { :; }; while f; do f; done"],
  ["eval", 'eval "while :; do :; done"'],
  ["eval in eval", "eval \"eval 'while :; do :; done'\""],
  ["a sourced file", "echo 'while :; do :; done' > l; . ./l"],
  ["a nested shell", "bash -c 'while :; do :; done'"],
  ["a script", "printf '#!/bin/sh\\nwhile :; do :; done\\n' > s; chmod +x s; ./s"],
  ["a substitution", "x=$(while :; do :; done)"],
  ["arithmetic", "echo $(( $(while :; do :; done) ))"],
  ["a subscript", "a[$(while :; do :; done)]=1"],
  ["the first stage of a pipeline", "while :; do :; done | cat"],
  ["the last stage of a pipeline", "echo | while :; do :; done"],
  ["a process substitution", "cat <(while :; do :; done)"],
  ["a subshell", "(while :; do :; done)"],
  ["a job", "while :; do :; done & wait"],
  ["a trap", "trap 'while :; do :; done' EXIT"],
  ["xargs", "echo | xargs sh -c 'while :; do :; done'"],
  ["find", "touch a; find . -name a -exec sh -c 'while :; do :; done' \\;"],
  ["timeout", "timeout 99 bash -c 'while :; do :; done'"],
  ["sleep", "sleep 1e9"],
])("yields to the event loop and can be killed in an endless loop: %s", (_, script) =>
  onMachine(async (machine) => {
    const started = machine.start(["bash", "-c", script]);
    let longest = 0;
    for (let turn = 0, last = performance.now(); turn < 20; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
    started.process.kill("KILL");
    expect((await started.ended()).end).toEqual({ by: "signal", signal: "KILL" });
    expect(machine.processes.list()).toEqual([]);
    // Generous, because a busy computer adds pauses.
    expect(longest).toBeLessThan(2000);
  }),
);

it.each([
  "while :; do echo x >> f; done",
  "while :; do echo x; done >> f",
  "yes >> f",
  "cp /dev/zero f",
  "(while :; do date > f; done) & wait",
])("writes nothing after being killed: %s", (script) =>
  onMachine(async (machine) => {
    const started = machine.start(["bash", "-c", script]);
    while (!machine.files.exists("/tmp/work/f", ROOT)) await new Promise((resolve) => setTimeout(resolve, 2));
    started.process.kill("KILL");
    await started.ended();
    const { size, modifiedAt } = machine.files.status("/tmp/work/f", ROOT);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const after = machine.files.status("/tmp/work/f", ROOT);
    expect([after.size, after.modifiedAt]).toEqual([size, modifiedAt]);
  }),
);

it.each([
  ["output", "while :; do echo aaaaaaaaaaaaaaaaaaa; done"],
  ["output of a program", "yes"],
  ["errors", "while :; do echo aaaaaaaaaaaaaaaaaaa >&2; done"],
  ["output of jobs", "yes & yes & wait"],
])("ends at the limit of %s", (_, script) =>
  onMachine(async (machine) => {
    const { stdout, stderr, end } = await machine.bash(script, { limits: { outputBytes: 2000 } });
    expect(end).toEqual({ by: "limit", code: 126, reason: "output limit of 2000 bytes reached" });
    expect(stdout.length + stderr.length).toBe(2000);
  }),
);

it.each([
  [
    "a pattern in a long string",
    "x=$(seq 99999); echo ${x//1/2}; echo on",
    /a string is longer than the 65536 characters/,
  ],
  ["the removal of a pattern", "x=$(seq 99999); echo ${x%%1*}", /longer than the 65536 characters/],
  ["an expression in a long string", "x=$(seq 99999); [[ a$x =~ z+y ]]", /longer than the 65536 characters/],
  ["a doubling string", "x=a; while :; do x=$x$x; done", /string length limit exceeded/],
  ["recursion", "f() { f; }; f", /maximum recursion depth .* exceeded: limit of this machine/],
  [
    "loops in awk",
    "awk 'BEGIN { for (i = 0; i < 1e9; i++) for (j = 0; j < 1e9; j++) s++ }'",
    /awk: .*limit of this machine/,
  ],
  ["loops in sed", "echo a | sed ':a; s/a/a/; ba'", /sed: .*limit of this machine/],
  ["text doubled by sed", "echo a | sed ':a; s/\\(.*\\)/\\1\\1/; ba'", /sed: .*limit/],
  ["loops in jq", "jq -n '[range(100000000)] | length'", /limit/],
  ["a large sort", "head -c 5000000 /dev/zero | sort", /sort: .*memory exhausted/],
  [
    "a large awk",
    "head -c 3000000 /dev/zero | tr '\\0' a | awk 1",
    /awk: .*input larger than \d+ bytes: limit of this machine/,
  ],
  ["an endless device", "sort /dev/zero", /./],
  ["a wide printf", "printf %1000000000d 1", /./],
])("bounds %s", (_, script, message) =>
  onMachine(async (machine) => {
    const { stderr, end } = await machine.bash(script);
    expect(stderr).toMatch(message);
    expect(end).toMatchObject({ by: "exit" });
    expect(end).not.toEqual({ by: "exit", code: 0 });
  }),
);

it.each([
  [
    "grep -c 99 f",
    "grep -n 99 f | tail -1",
    "sed 's/line/LINE/; /1/d' f | tail -1",
    "tr a-z A-Z < f | tail -1",
  ],
])("processes large input in pieces", (...scripts) =>
  onMachine(async (machine) => {
    const written = await machine.bash("seq 60000 | sed 's/^/line /' > f");
    expect(written).toMatchObject({ stderr: "", end: { by: "exit", code: 0 } });
    const outputs = await Promise.all(scripts.map(async (script) => (await machine.bash(script)).stdout));
    const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index + 1}`);
    const with99 = lines.flatMap((line, index) => (line.includes("99") ? `${index + 1}:${line}` : []));
    expect(outputs).toEqual([`${with99.length}\n`, `${with99.at(-1)}\n`, "LINE 60000\n", "LINE 60000\n"]);
  }),
);

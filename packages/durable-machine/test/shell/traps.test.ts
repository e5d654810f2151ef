import { expect, it } from "vitest";
import type { ProcessEnd, Signal } from "../../src/processes/process.ts";
import { Devices } from "../../src/shell/devices.ts";
import { DEVICES } from "../../src/shell/transforms/names.ts";
import { onMachine } from "./processes.ts";

const exited = (code: number): ProcessEnd => ({ by: "exit", code });

it.each([
  ["at the end", "trap 'echo bye $?' EXIT; echo hi", "hi\nbye 0\n", exited(0)],
  ["on exit", "trap 'echo bye $?' EXIT; exit 3", "bye 3\n", exited(3)],
  ["on exit in a function", "trap 'echo bye $?' EXIT; f() { exit 4; }; f; echo no", "bye 4\n", exited(4)],
  [
    "on a failure under -e",
    "set -e; v=1; trap 'echo bye $? $v' EXIT; false; echo no",
    "bye 1 1\n",
    exited(1),
  ],
  [
    "on a failure in a function under -e",
    "set -e; trap 'echo bye' EXIT; f() { false; }; f; echo no",
    "bye\n",
    exited(1),
  ],
  ["on an unset variable under -u", "set -u; trap 'echo bye' EXIT; echo $x; echo no", "bye\n", exited(1)],
  ["with functions and arrays", "a=(1 '2 3'); f() { echo \"${a[1]}\"; }; trap f EXIT", "2 3\n", exited(0)],
  ["and exits with its code", "trap 'exit 9' EXIT; exit 2", "", exited(9)],
  ["but not of a subshell", "trap 'echo bye' EXIT; (exit 5); echo $?", "5\nbye\n", exited(0)],
  ["unless it was reset", "trap 'echo bye' EXIT; trap - EXIT; echo done", "done\n", exited(0)],
  ["set by a sourced file", "echo \"trap 'echo bye' EXIT\" > l; . ./l; echo on", "on\nbye\n", exited(0)],
  [
    "of a nested shell first",
    "trap 'echo o' EXIT; bash -c 'trap \"echo i\" EXIT; echo x'",
    "x\ni\no\n",
    exited(0),
  ],
])("runs the EXIT trap %s", (_, script, stdout, end) =>
  onMachine(async (machine) => {
    const ended = await machine.bash(script);
    expect({ stdout: ended.stdout, end: ended.end }).toEqual({ stdout, end });
  }),
);

it("lists traps", () =>
  onMachine(async (machine) => {
    const { stdout } = await machine.bash("trap 'echo \"it'\\''s\"' EXIT; trap '' INT; trap -p; trap - EXIT");
    expect(stdout).toBe("trap -- 'echo \"it'\\''s\"' EXIT\ntrap -- '' SIGINT\n");
  }));

it.each<[string, Signal, string, string, ProcessEnd]>([
  ["dies without a handler", "TERM", "echo up; sleep 9", "up\n", { by: "signal", signal: "TERM" }],
  [
    "dies even with a handler",
    "KILL",
    "trap 'echo t' EXIT TERM; echo up; sleep 9",
    "up\n",
    { by: "signal", signal: "KILL" },
  ],
  [
    "runs its EXIT trap and dies",
    "TERM",
    "trap 'echo bye' EXIT; echo up; sleep 9; echo no",
    "up\nbye\n",
    { by: "signal", signal: "TERM" },
  ],
  [
    "runs its handler and continues",
    "INT",
    "trap 'echo int; n=1' INT; echo up; sleep 9; echo on $n",
    "up\nint\non 1\n",
    exited(0),
  ],
  ["runs its handler in a loop", "HUP", "trap 'exit 6' HUP; echo up; while :; do :; done", "up\n", exited(6)],
  ["interrupts read", "TERM", "trap 'echo t; exit 1' TERM; echo up; read x; echo $x", "up\nt\n", exited(1)],
  [
    "interrupts wait",
    "TERM",
    "trap 'echo t' TERM; sleep 9 & echo up; wait; echo $?",
    "up\nt\n143\n",
    exited(0),
  ],
])("%s on %s", (_, signal, script, stdout, end) =>
  onMachine(async (machine) => {
    const started = machine.start(["bash", "-c", script], { takesInput: true });
    await started.reaches("up\n");
    // The command after the last output starts one turn later.
    await new Promise((resolve) => setTimeout(resolve, 20));
    started.process.kill(signal);
    const ended = await started.ended();
    expect({ stdout: ended.stdout, end: ended.end }).toEqual({ stdout, end });
  }),
);

it("does not start a read with a pending signal", () =>
  onMachine(async (machine) => {
    const shell = machine.shell();
    shell.traps.handlers.set("TERM", "exit 1");
    shell.traps.take("TERM");
    expect(await new Devices(shell).read(DEVICES.inputLine)).toEqual(new Uint8Array(0));
    expect(shell.traps.next()).toEqual({ signal: "TERM", handler: "exit 1" });
    expect(shell.traps.see()).toBe(false);
  }));

it("ignores a signal with an empty trap", () =>
  onMachine(async (machine) => {
    const started = machine.start(["bash", "-c", "trap '' TERM; echo up; sleep 0.1; echo still"]);
    await started.reaches("up\n");
    started.process.kill("TERM");
    expect(await started.ended()).toEqual({ stdout: "up\nstill\n", stderr: "", end: exited(0) });
  }));

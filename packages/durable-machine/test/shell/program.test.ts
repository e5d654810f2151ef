import { expect, it } from "vitest";
import { StartError } from "../../src/processes/process.ts";
import { ROOT } from "../../src/users.ts";
import { KERNEL_USER } from "../identity.ts";
import { onMachine, type TestMachine } from "./processes.ts";

function put(machine: TestMachine, path: string, text: string, mode = 0o755): void {
  machine.files.writeAll(path, new TextEncoder().encode(text), ROOT, { mode });
}

it.each<[string, [string, ...string[]], string]>([
  ["a program", ["echo", "a"], "a\n"],
  ["a program by its path", ["/bin/echo", "a"], "a\n"],
  ["a builtin that is also a program", ["test", "a", "=", "a"], ""],
  ["a script of a shell", ["sh", "-c", "echo $0 $1", "x", "y"], "x y\n"],
  ["a shell with options", ["bash", "-euc", "echo $-", "x"], "hehuBs\n".replace("hehuBs", "heuBs")],
  ["a script by name", ["./s", "1", "2"], "./s 1 2\n"],
  ["a script by its path", ["/tmp/work/s", "1", "2"], "/tmp/work/s 1 2\n"],
  ["a shell and a script", ["bash", "s", "1", "2"], "s 1 2\n"],
  ["a program with names of builtins as arguments", ["printf", "%s\n", "exit"], "exit\n"],
])("starts %s", (_, argv, stdout) =>
  onMachine(async (machine) => {
    put(machine, "/tmp/work/s", "#!/usr/bin/env bash\necho $0 $1 $2\n");
    expect(await machine.run(argv)).toEqual({ stdout, stderr: "", end: { by: "exit", code: 0 } });
  }),
);

it("finds programs by the given PATH", () =>
  onMachine(async (machine) => {
    machine.files.makeDirectory("/opt/bin", ROOT, { parents: true });
    put(machine, "/opt/bin/ls", "#!/bin/sh\necho mine\n");
    const { stdout } = await machine.run(["ls"], { environment: { PATH: "/opt/bin:/bin" } });
    expect(stdout).toBe("mine\n");
  }));

it.each<[string, [string, ...string[]], RegExp]>([
  ["an unknown program", ["nosuch"], /nosuch: command not found/],
  ["a missing path", ["./nosuch"], /no such file or directory/],
  ["a file that is not executable", ["./plain"], /permission denied/],
  ["a directory", ["/tmp"], /permission denied/],
  ["a builtin that is not a program", ["cd", "/"], /not found/],
  ["an internal builtin", ["trap"], /not found/],
  ["a command line", ["ls -la"], /not found/],
  ["an unavailable program", ["python3", "-c", "1"], /python3: not available on this machine/],
  ["a script for another interpreter", ["./py"], /python3: interpreter not available on this machine/],
  ["a native program", ["./elf"], /cannot execute binary file/],
  ["a missing script", ["bash", "nosuch.sh"], /No such file or directory/],
])("does not start %s", (_, argv, message) =>
  onMachine(async (machine) => {
    put(machine, "/tmp/work/plain", "echo a\n", 0o644);
    put(machine, "/tmp/work/py", "#!/usr/bin/env python3\n");
    put(machine, "/tmp/work/elf", "\x7fELF\0\0");
    expect(() => machine.start(argv)).toThrow(StartError);
    expect(() => machine.start(argv)).toThrow(message);
    expect(machine.processes.list()).toEqual([]);
  }),
);

it("does not start in a missing or inaccessible directory", () =>
  onMachine(async (machine) => {
    machine.files.makeDirectory("/root/closed", ROOT, { mode: 0o700 });
    expect(() => machine.start(["true"], { directory: "/nowhere" })).toThrow(StartError);
    expect(() => machine.start(["true"], { directory: "/root/closed", user: KERNEL_USER })).toThrow(
      StartError,
    );
  }));

it("sets up the environment of a process", () =>
  onMachine(async (machine) => {
    const { stdout } = await machine.bash(
      'echo "$HOME $USER $LOGNAME $SHELL $LANG $PWD $UID $EUID $PPID $X"; [ $$ -ge 100 ] && umask; bash -c "echo \\$X"',
      { user: KERNEL_USER, environment: { X: "a b" } },
    );
    expect(stdout).toBe(
      "/home/kernel kernel kernel /bin/bash C.UTF-8 /tmp/work 1000 1000 1 a b\n0022\na b\n",
    );
  }));

it("hides internal variables from scripts", () =>
  onMachine(async (machine) => {
    const { stdout } = await machine.bash(
      "env | grep -c FD; f() { env; }; f > o 2>&1; grep -c FD o; printenv | grep FD",
    );
    expect(stdout).toBe("0\n0\n");
  }));

it.each([
  ["nosuch", 127, "bash: nosuch: command not found\n"],
  ["python3 x.py", 127, "bash: python3: not available on this machine, which runs no native programs\n"],
  ["echo x > /nope/f", 1, "bash: /nope/f: No such file or directory\n"],
  ["echo x > /tmp", 1, "bash: /tmp: Is a directory\n"],
  ["cat < /nope", 1, "bash: /nope: No such file or directory\n"],
  ["{ echo x; } > /nope/f", 1, "bash: /nope/f: No such file or directory\n"],
  ["f() { echo x; }; f > /nope/f", 1, "bash: /nope/f: No such file or directory\n"],
])("reports the error of %s and continues", (script, code, stderr) =>
  onMachine(async (machine) => {
    expect(await machine.bash(`${script}; echo $?`)).toMatchObject({ stdout: `${code}\n`, stderr });
  }),
);

it("enforces permissions of the user", () =>
  onMachine(async (machine) => {
    put(machine, "/tmp/secret", "s", 0o600);
    const { stdout, stderr } = await machine.bash(
      "cat /tmp/secret; echo x > /tmp/secret; echo y > own; stat -c %U own; umask 077; echo z > two; stat -c %a two",
      { user: KERNEL_USER },
    );
    expect(stdout).toBe("kernel\n600\n");
    expect(stderr).toBe("cat: /tmp/secret: Permission denied\nbash: /tmp/secret: Permission denied\n");
  }));

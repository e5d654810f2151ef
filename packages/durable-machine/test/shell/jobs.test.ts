import { expect, it } from "vitest";
import { onMachine } from "./processes.ts";

it("runs background jobs concurrently", () =>
  onMachine(async (machine) => {
    const startedAt = Date.now();
    const { stdout, end } = await machine.bash("sleep 1 & sleep 1 & sleep 1 & wait; echo all");
    expect({ stdout, end }).toEqual({ stdout: "all\n", end: { by: "exit", code: 0 } });
    expect(Date.now() - startedAt).toBeLessThan(2700);
  }));

it.each([
  [
    "functions, variables and arguments",
    'v=5; f() { echo "f $v $1"; }; a=(x "y z"); f "${a[1]}" & wait',
    "f 5 y z\n",
  ],
  ["positional parameters and $0", 'set -- p "q r"; { echo "$2" $# $0; } & wait', "q r 2 bash\n"],
  ["associative arrays", "declare -A m=([k]='v w'); { echo ${m[k]}; } & wait", "v w\n"],
  ["the working directory", "mkdir d; cd d; pwd & wait", "/tmp/work/d\n"],
  ["options", "set -f; { echo *; } & wait", "*\n"],
  [
    "a conditionally defined function",
    "if true; then f() { echo 1; }; else f() { echo 2; }; fi; f & wait",
    "1\n",
  ],
  ["a copy of variables", "v=1; { v=2; echo $v; } & wait; echo $v", "2\n1\n"],
  ["no input", '{ read x; echo "[$x] $?"; } & wait', "[] 1\n"],
])("passes to a job: %s", (_, script, stdout) =>
  onMachine(async (machine) => {
    expect(await machine.bash(script)).toEqual({ stdout, stderr: "", end: { by: "exit", code: 0 } });
  }),
);

it.each([
  ["wait PID", "(exit 3) & wait $!; echo $?", "3\n"],
  ["wait for several", "(exit 3) & a=$!; (exit 4) & wait $a $!; echo $?", "4\n"],
  ["wait for all", "(exit 3) & wait; echo $?", "0\n"],
  ["wait -n", "sleep 9 & (exit 7) & wait -n; echo $?", "7\n"],
  ["wait for another process", "wait 1; echo $?", "127\n"],
  ["kill by number", "sleep 9 & kill $!; wait $!; echo $?", "143\n"],
  ["kill by job", "sleep 9 & sleep 9 & kill -KILL %1; wait %1; echo $?", "137\n"],
  ["jobs", "sleep 9 & jobs; kill %1; wait; jobs", "[1]+  Running                 sleep 9 &\n"],
  [
    "substitutions that wait for their jobs",
    "x=$(sleep 0.05 && echo late & echo early); echo $x",
    "late early\n",
  ],
  ["output into a file", "{ echo a; sleep 0.01; echo b; } > f & wait; cat f", "a\nb\n"],
])("supports %s", (_, script, stdout) =>
  onMachine(async (machine) => {
    expect((await machine.bash(script)).stdout).toBe(stdout);
  }),
);

it("kills remaining jobs when the script ends", () =>
  onMachine(async (machine) => {
    const { end } = await machine.bash("while :; do echo x >> f; done &\n sleep 0.05");
    expect(end).toEqual({ by: "exit", code: 0 });
    const { size } = machine.files.status("/tmp/work/f", { uid: 0, gid: 0, umask: 0 });
    await machine.bash("sleep 0.1");
    expect(machine.files.status("/tmp/work/f", { uid: 0, gid: 0, umask: 0 }).size).toBe(size);
    expect(machine.processes.list()).toEqual([]);
  }));

it.each([
  ["a fork bomb", ":(){ :|:& wait; }; :"],
  ["a script that runs itself", "echo 'bash b; bash b' > b; bash b"],
])("limits the processes of %s", (_, script) =>
  onMachine(async (machine) => {
    const started = machine.start(["bash", "-c", script]);
    const refused = "bash: fork: Resource temporarily unavailable\n";
    while (!started.stderr().includes(refused)) await new Promise((resolve) => setTimeout(resolve, 5));
    started.process.kill("KILL");
    expect((await started.ended()).end).toEqual({ by: "signal", signal: "KILL" });
    expect(machine.processes.list()).toEqual([]);
  }),
);

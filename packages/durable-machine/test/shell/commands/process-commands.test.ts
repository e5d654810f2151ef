import { describe, expect, it } from "vitest";
import { ROOT_USER } from "../../../src/users.ts";
import { KERNEL_USER } from "../../identity.ts";
import { onMachine } from "../processes.ts";

describe("ps", () => {
  it("lists processes", () =>
    onMachine(async (machine) => {
      const sleeper = machine.start(["sleep", "100"], { user: KERNEL_USER });
      const { pid } = sleeper.process;
      const { stdout } = await machine.bash(
        [
          `ps -o pid,ppid,user,comm,args -p ${pid}`,
          `ps -p ${pid} -o pid= -o comm=`,
          `ps -p ${pid} -o pid=NUMBER,user`,
          "ps -ef | grep -c '[s]leep 100'",
          "ps aux | head -1",
          "ps -e | head -1",
          "ps -u kernel -o args=",
          "ps -p 99999; echo $?",
        ].join("\n"),
      );
      const number = String(pid).padStart(5);
      expect(stdout.split("\n")).toEqual([
        "  PID  PPID USER     COMMAND         COMMAND",
        `${number}     1 kernel   sleep           sleep 100`,
        `${number} sleep`,
        "NUMBER USER",
        `${String(pid).padStart(6)} kernel`,
        "1",
        "USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND",
        "  PID TTY          TIME CMD",
        "sleep 100",
        "  PID TTY          TIME CMD",
        "1",
        "",
      ]);
      sleeper.process.kill("KILL");
      await sleeper.ended();
    }));
});

describe("kill", () => {
  it.each([
    ["", "TERM"],
    ["-9", "KILL"],
    ["-KILL", "KILL"],
    ["-SIGINT", "INT"],
    ["-s HUP", "HUP"],
    ["-n 15", "TERM"],
    ["-USR1", "TERM"],
  ])("with %s sends %s", (options, signal) =>
    onMachine(async (machine) => {
      const sleeper = machine.start(["sleep", "100"]);
      const { end } = await machine.bash(`kill ${options} ${sleeper.process.pid}`);
      expect(end).toEqual({ by: "exit", code: 0 });
      expect((await sleeper.ended()).end).toEqual({ by: "signal", signal });
    }),
  );

  it.each([
    [
      "kill",
      "kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]\n",
      2,
    ],
    ["kill 99999", "bash: line 1: kill: (99999) - No such process\n", 1],
    ["kill -0 99999", "bash: line 1: kill: (99999) - No such process\n", 1],
    ["kill -0 $$", "", 0],
    ["kill -CONT $$", "", 0],
    ["kill x", "bash: line 1: kill: x: arguments must be process or job IDs\n", 1],
    ["kill -NOPE 1", "bash: line 1: kill: NOPE: invalid signal specification\n", 1],
    ["kill -STOP $$", expect.stringContaining("not supported on this machine"), 1],
  ])("%s", (script, stderr, code) =>
    onMachine(async (machine) => {
      expect(await machine.bash(script)).toMatchObject({ stderr, end: { by: "exit", code } });
    }),
  );

  it("lists signals by name and number", () =>
    onMachine(async (machine) => {
      const { stdout } = await machine.bash("kill -l 9 15 KILL 137; kill -l | head -1");
      expect(stdout).toBe("KILL\nTERM\n9\nKILL\n 1) SIGHUP\n");
    }));

  it("signals processes of other users only as root", () =>
    onMachine(async (machine) => {
      const sleeper = machine.start(["sleep", "100"], { user: ROOT_USER });
      const { pid } = sleeper.process;
      const refused = await machine.bash(`kill ${pid}; kill -0 ${pid}`, { user: KERNEL_USER });
      expect(refused.stderr.match(/Operation not permitted/g)).toHaveLength(2);
      expect(machine.processes.list().map((process) => process.pid)).toContain(pid);
      await machine.bash(`kill ${pid}`);
      expect((await sleeper.ended()).end).toEqual({ by: "signal", signal: "TERM" });
    }));

  it("kills jobs and itself", () =>
    onMachine(async (machine) => {
      const job = await machine.bash(
        "sleep 100 & kill $!; wait $!; echo $?; sleep 100 & kill %%; wait; echo over",
      );
      expect(job.stdout).toBe("143\nover\n");
      const self = await machine.bash("kill -9 $$; echo never");
      expect(self).toMatchObject({ stdout: "", end: { by: "signal", signal: "KILL" } });
    }));
});

describe("pgrep and pkill", () => {
  it("find processes by name or command line", () =>
    onMachine(async (machine) => {
      const sleeper = machine.start(["sleep", "123"]);
      const { pid } = sleeper.process;
      const { stdout } = await machine.bash(
        "pgrep sleep; pgrep -l sle; pgrep -x sle; pgrep -fa 'sleep 12[0-9]'; pgrep -c sleep; pgrep nope; echo $?",
      );
      expect(stdout).toBe(`${pid}\n${pid} sleep\n${pid} sleep 123\n1\n1\n`);
      const killed = await machine.bash("pkill -9 -x sleep; echo $?; pkill nope; echo $?");
      expect(killed.stdout).toBe("0\n1\n");
      expect((await sleeper.ended()).end).toEqual({ by: "signal", signal: "KILL" });
    }));

  it.each([
    ["pgrep", "pgrep: no matching criteria specified"],
    ["pgrep a b", "pgrep: only one pattern can be provided"],
    ["pgrep '('", "pgrep: "],
  ])("reject %s", (script, message) =>
    onMachine(async (machine) => {
      const { stderr, end } = await machine.bash(script);
      expect(stderr).toContain(message);
      expect(end).toEqual({ by: "exit", code: 2 });
    }),
  );
});

describe("identity and system commands", () => {
  it.each([
    ["id", "uid=1000(kernel) gid=1000(kernel) groups=1000(kernel)\n"],
    [
      "id -u; id -un; id -g; id -Gn; id root",
      "1000\nkernel\n1000\nkernel\nuid=0(root) gid=0(root) groups=0(root)\n",
    ],
    ["whoami; groups; groups root kernel", "kernel\nkernel\nroot : root\nkernel : kernel\n"],
    ["hostname; uname -n; hostname -s; hostname -I", "machine\nmachine\nmachine\n127.0.0.1\n"],
    ["uname -a", "Linux machine 6.1.0 #1 SMP x86_64 GNU/Linux\n"],
    ["uname; uname -srmo; nproc", "Linux\nLinux 6.1.0 x86_64 GNU/Linux\n1\n"],
    ["which ls; which -a sh | head -1; which nope; echo $?", "/usr/bin/ls\n/usr/bin/sh\n1\n"],
    ["echo '#!/bin/sh' > p; chmod +x p; PATH=$PATH:$PWD; test \"$(which p)\" = $PWD/p; echo $?", "0\n"],
  ])("%s", (script, stdout) =>
    onMachine(async (machine) => {
      const options = { user: KERNEL_USER, directory: KERNEL_USER.home };
      expect(await machine.bash(script, options)).toMatchObject({ stdout, stderr: "" });
    }),
  );

  it("print a number for an unknown group", () =>
    onMachine(async (machine) => {
      const options = { user: { ...KERNEL_USER, gid: 50 }, directory: KERNEL_USER.home };
      const { stdout } = await machine.bash(
        "id; touch f; ls -l f | cut -d' ' -f3,4; stat -c %u:%g f",
        options,
      );
      expect(stdout).toBe("uid=1000(kernel) gid=50 groups=50\nkernel 50\n1000:50\n");
    }));
});

import { setTimeout } from "node:timers/promises";
import Kernel from "@onkernel/sdk";
import { beforeAll, describe, expect, test } from "vitest";
import { errorBodySchema } from "../../src/lib/http/wire-error.ts";
import { type ExecParams, MACHINES, Processes, textOf } from "./machine-api.ts";
import { SharedService } from "./shared-service.ts";

const service = await SharedService.use();
const kernel = service.kernel();

describe.each(MACHINES)("a %s machine", (machine) => {
  const options = { timeout_seconds: 3600, headless: true, machine };
  let id: string;
  let processes: Processes;

  beforeAll(async () => {
    ({ session_id: id } = await kernel.browsers.create(options));
    processes = new Processes(kernel, id);
  });

  const bash = (script: string, params: Partial<ExecParams> = {}) =>
    processes.exec({ command: "bash", args: ["-c", script], ...params });

  async function expectError(work: Promise<unknown>) {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof Kernel.APIError)) throw new Error("expected an API error");
    const { code } = errorBodySchema.parse(error.error);
    const { status, message, headers } = error;
    return { status, message, reason: `${code}: ${message}`, retry: headers?.get("x-should-retry") };
  }

  describe("exec", () => {
    test.each<[string, ExecParams, string]>([
      ["a command", { command: "whoami" }, "kernel\n"],
      ["a command by its path", { command: "/usr/bin/whoami" }, "kernel\n"],
      ["a shell pipeline", { command: "echo one two | wc -w" }, "2\n"],
      [
        "arguments without expanding them",
        { command: "echo", args: ["$HOME", "a  b", "*"] },
        "$HOME a  b *\n",
      ],
      ["no cwd, which means the home directory", { command: "pwd" }, "/home/kernel\n"],
      ["cwd", { command: "pwd", cwd: "/tmp" }, "/tmp\n"],
      [
        "environment variables",
        { command: "printenv", args: ["A", "HOME"], env: { A: "x y" } },
        "x y\n/home/kernel\n",
      ],
      ["as_root", { command: "id", args: ["-u"], as_root: true }, "0\n"],
      ["as_user by name", { command: "id", args: ["-un"], as_user: "root" }, "root\n"],
      ["as_user by number", { command: "id", args: ["-g"], as_user: "1000:42" }, "42\n"],
      [
        "nulls, as the CLI sends them",
        { command: "whoami", cwd: null, as_user: null, timeout_sec: null },
        "kernel\n",
      ],
    ])("accepts %s", async (_, params, out) => {
      expect(await processes.exec(params)).toMatchObject({ code: 0, out, error: "" });
    });

    test.each<[string, ExecParams, string]>([
      ["no command", { command: "" }, "command: command required"],
      ["a blank command", { command: " \n" }, "command: command required"],
      [
        "as_root with as_user",
        { command: "id", as_root: true, as_user: "kernel" },
        "as_user: cannot specify both",
      ],
      ["an unknown user", { command: "id", as_user: "nobody" }, 'as_user: failed to lookup user "nobody"'],
      ["an empty user name", { command: "id", as_user: "" }, "as_user: must name a user"],
      ["a negative timeout", { command: "id", timeout_sec: -1 }, "timeout_sec: must be at least 0"],
      ["a relative directory", { command: "id", cwd: "tmp" }, "cwd: must be an absolute path"],
      ["a missing directory", { command: "id", cwd: "/nowhere" }, "no_such_directory"],
      ["a file as a directory", { command: "id", cwd: "/etc/passwd" }, "no_such_directory"],
      ["a missing command", { command: "nosuch" }, "command_not_found"],
      ["a file that is not executable", { command: "/etc/passwd" }, "command_not_executable"],
      ["a shell line with arguments", { command: "ls -la", args: ["/"] }, "command_not_found"],
    ])("rejects %s, as spawn does", async (_, params, reason) => {
      const rejected = { status: 400, reason: expect.stringContaining(reason) };
      expect(await expectError(processes.exec(params))).toMatchObject(rejected);
      expect(await expectError(kernel.browsers.process.spawn(id, params))).toMatchObject(rejected);
    });

    test("kills a process at its timeout", async () => {
      const rejected = await expectError(
        bash("trap 'echo trapped > /tmp/trapped' EXIT; while :; do sleep 0.05; date > /tmp/alive; done", {
          timeout_sec: 1,
        }),
      );
      expect(rejected).toMatchObject({
        status: 500,
        message: expect.stringContaining("process timed out"),
        retry: "false",
      });
      const { mod_time } = await kernel.browsers.fs.fileInfo(id, { path: "/tmp/alive" });
      await setTimeout(500);
      expect((await kernel.browsers.fs.fileInfo(id, { path: "/tmp/alive" })).mod_time).toBe(mod_time);
      expect((await bash("ps -ef | grep -c '[a]live'")).out).toBe("0\n");
      expect((await bash("test -e /tmp/trapped")).code).toBe(1);
    });
  });

  describe("spawn", () => {
    test("reports the status of running and exited processes", async () => {
      const { processId, pid, startedAt } = await processes.spawn("read line; exit 7");
      expect(pid).toBeGreaterThan(1);
      expect(Date.parse(startedAt ?? "")).toBeGreaterThan(0);
      const { process } = kernel.browsers;
      expect(await process.status(processId, { id })).toMatchObject({
        state: "running",
        exit_code: null,
        cpu_pct: 0,
      });
      expect(await process.stdin(processId, { id, data_b64: btoa("x\n") })).toEqual({ written_bytes: 2 });
      expect(await processes.follow(processId)).toEqual({ stdout: "", stderr: "", code: 7 });
      expect(await process.status(processId, { id })).toMatchObject({ state: "exited", exit_code: 7 });
    });

    test("streams stdout while stdin is written", async () => {
      const { processId } = await processes.spawn(
        'while read -r line; do echo "got $line"; [ $line = end ] && exit 0; done',
      );
      const followed = processes.follow(processId);
      for (const line of ["one", "two", "end"]) {
        await kernel.browsers.process.stdin(processId, { id, data_b64: btoa(`${line}\n`) });
      }
      expect(await followed).toMatchObject({ stdout: "got one\ngot two\ngot end\n", code: 0 });
    });

    test.each(["KILL", "TERM", "INT", "HUP"] as const)("reports code -1 after SIG%s", async (signal) => {
      const { processId } = await processes.spawn("while :; do :; done");
      const followed = processes.follow(processId);
      expect(await kernel.browsers.process.kill(processId, { id, signal })).toEqual({ ok: true });
      expect(await followed).toMatchObject({ code: -1 });
      expect(await expectError(kernel.browsers.process.kill(processId, { id, signal }))).toMatchObject({
        status: 409,
      });
      expect(
        await expectError(kernel.browsers.process.stdin(processId, { id, data_b64: "YQ==" })),
      ).toMatchObject({
        status: 409,
      });
    });

    test("kills a process at its timeout", async () => {
      const { process_id = "" } = await kernel.browsers.process.spawn(id, {
        command: "sleep",
        args: ["100"],
        timeout_sec: 1,
      });
      expect(await processes.follow(process_id)).toMatchObject({ code: -1 });
    });

    test.runIf(machine === "linux")("runs in a terminal, whose size can change", async () => {
      const { process } = kernel.browsers;
      const { process_id = "" } = await process.spawn(id, {
        command: "bash",
        args: ["-c", "trap 'stty size; exit 3' WINCH; stty size; tty; while :; do sleep 0.1; done"],
        allocate_tty: true,
        rows: 30,
        cols: 100,
      });
      let text = "";
      let exitCode: number | undefined;
      for await (const event of await process.stdoutStream(process_id, { id })) {
        text += textOf(event.data_b64);
        if (event.event === "exit") exitCode = event.exit_code;
        if (text.endsWith("/dev/pts/0\r\n")) await process.resize(process_id, { id, rows: 40, cols: 120 });
      }
      expect(text).toBe("30 100\r\n/dev/pts/0\r\n40 120\r\n");
      expect(exitCode).toBe(3);
    });

    test.runIf(machine === "simulated")("rejects terminals", async () => {
      const { process } = kernel.browsers;
      const withTerminal = process.spawn(id, { command: "bash", allocate_tty: true, rows: 24, cols: 80 });
      expect(await expectError(withTerminal)).toMatchObject({
        status: 400,
        message: expect.stringContaining("allocate_tty: this machine has no terminals"),
      });
      const { processId } = await processes.spawn("sleep 15");
      expect(await expectError(process.resize(processId, { id, rows: 1, cols: 1 }))).toMatchObject({
        status: 400,
        message: expect.stringContaining("not PTY-backed"),
      });
      await process.kill(processId, { id, signal: "KILL" });
    });

    test("returns 404 for an unknown process and 400 for invalid input", async () => {
      const { process } = kernel.browsers;
      const unknown = crypto.randomUUID();
      expect(await expectError(process.status(unknown, { id }))).toMatchObject({ status: 404 });
      expect(await expectError(process.stdoutStream(unknown, { id }))).toMatchObject({ status: 404 });
      expect(await expectError(process.kill(unknown, { id, signal: "KILL" }))).toMatchObject({ status: 404 });
      expect(await expectError(process.stdin(unknown, { id, data_b64: "%" }))).toMatchObject({ status: 400 });
      const signal = "STOP" as "KILL";
      expect(await expectError(process.kill(unknown, { id, signal }))).toMatchObject({
        status: 400,
        message: expect.stringContaining("signal: invalid signal"),
      });
    });

    test("limits the number of processes", async () => {
      const many = Array.from({ length: 64 }, () => processes.spawn("sleep 15"));
      const settled = await Promise.allSettled([...many, processes.spawn("true")]);
      const rejected = settled.filter(({ status }) => status === "rejected");
      expect(rejected.length).toBeGreaterThan(0);
      for (const result of settled) {
        if (result.status === "rejected") expect(result.reason).toMatchObject({ status: 429 });
        else
          await kernel.browsers.process
            .kill(result.value.processId, { id, signal: "KILL" })
            .catch(() => undefined);
      }
      expect(await processes.exec({ command: "true" })).toMatchObject({ code: 0 });
    });
  });
});

import { setTimeout } from "node:timers/promises";
import Kernel from "@onkernel/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorBodySchema } from "../../src/http/wire-error.ts";
import { SharedService } from "./shared-service.ts";

let service: SharedService;
let kernel: Kernel;
let id: string;

beforeAll(async () => {
  service = await SharedService.use();
  kernel = service.kernel();
  ({ session_id: id } = await kernel.browsers.create({ timeout_seconds: 3600, headless: true }));
});
afterAll(() => service.end());

type ExecParams = Parameters<Kernel["browsers"]["process"]["exec"]>[1];

const text = (base64: string | undefined) => Buffer.from(base64 ?? "", "base64").toString();

async function exec(params: ExecParams) {
  const { exit_code, stdout_b64, stderr_b64, duration_ms } = await kernel.browsers.process.exec(id, params);
  return { code: exit_code, out: text(stdout_b64), error: text(stderr_b64), ms: duration_ms };
}

const bash = (script: string, params: Partial<ExecParams> = {}) =>
  exec({ command: "bash", args: ["-c", script], ...params });

const spawn = async (script: string) => {
  const { process_id, pid, started_at } = await kernel.browsers.process.spawn(id, {
    command: "bash",
    args: ["-c", script],
  });
  if (process_id === undefined) throw new Error("no process");
  return { processId: process_id, pid, startedAt: started_at };
};

async function refusal(work: Promise<unknown>) {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Kernel.APIError)) throw new Error("not refused");
  const { code } = errorBodySchema.parse(error.error);
  const { status, message, headers } = error;
  return { status, message, reason: `${code}: ${message}`, retry: headers?.get("x-should-retry") };
}

/** Everything that a process has written and writes, and its exit code. */
async function follow(processId: string) {
  const written = { stdout: "", stderr: "" };
  const stream = await kernel.browsers.process.stdoutStream(processId, { id });
  for await (const { event, exit_code, stream: of, data_b64 } of stream) {
    if (event === "exit") return { ...written, code: exit_code };
    if (of !== undefined) written[of] += text(data_b64);
  }
  throw new Error("The stream ended without an exit");
}

describe("exec", () => {
  test.each<[string, ExecParams, string]>([
    ["a program", { command: "whoami" }, "kernel\n"],
    ["a program by its path", { command: "/usr/bin/whoami" }, "kernel\n"],
    ["a line of shell", { command: "echo one two | wc -w" }, "2\n"],
    ["arguments that no shell reads", { command: "echo", args: ["$HOME", "a  b", "*"] }, "$HOME a  b *\n"],
    ["the user's home", { command: "pwd" }, "/home/kernel\n"],
    ["a directory", { command: "pwd", cwd: "/tmp" }, "/tmp\n"],
    ["variables", { command: "printenv", args: ["A", "HOME"], env: { A: "x y" } }, "x y\n/home/kernel\n"],
    ["root", { command: "id", args: ["-u"], as_root: true }, "0\n"],
    ["another user", { command: "id", args: ["-un"], as_user: "root" }, "root\n"],
    ["a user by number", { command: "id", args: ["-g"], as_user: "1000:42" }, "42\n"],
    [
      "nulls, as the CLI sends them",
      { command: "whoami", cwd: null, as_user: null, timeout_sec: null },
      "kernel\n",
    ],
  ])("takes %s", async (_, params, out) => {
    expect(await exec(params)).toMatchObject({ code: 0, out, error: "" });
  });

  test.each<[string, ExecParams, string]>([
    ["no command", { command: "" }, "command: command required"],
    ["a blank command", { command: " \n" }, "command: command required"],
    [
      "root and somebody",
      { command: "id", as_root: true, as_user: "kernel" },
      "as_user: cannot specify both",
    ],
    ["nobody", { command: "id", as_user: "nobody" }, 'as_user: failed to lookup user "nobody"'],
    ["a user without a name", { command: "id", as_user: "" }, "as_user: must name a user"],
    ["a time below zero", { command: "id", timeout_sec: -1 }, "timeout_sec: must be at least 0"],
    ["a relative directory", { command: "id", cwd: "tmp" }, "cwd: must be an absolute path"],
    ["a directory that is not there", { command: "id", cwd: "/nowhere" }, "no_such_directory"],
    ["a file as a directory", { command: "id", cwd: "/etc/passwd" }, "no_such_directory"],
    ["a program that is not there", { command: "nosuch" }, "command_not_found"],
    ["a program that the machine cannot have", { command: "python3" }, "command_not_found"],
    ["a program that may not run", { command: "/etc/passwd" }, "command_not_executable"],
    ["a line as a program", { command: "ls -la", args: ["/"] }, "command_not_found"],
  ])("refuses %s, as spawn does", async (_, params, reason) => {
    const refused = { status: 400, reason: expect.stringContaining(reason) };
    expect(await refusal(exec(params))).toMatchObject(refused);
    expect(await refusal(kernel.browsers.process.spawn(id, params))).toMatchObject(refused);
  });

  test("ends a process whose time is up, for good", async () => {
    const refused = await refusal(
      bash("trap 'echo trapped > /tmp/trapped' EXIT; while :; do sleep 0.05; date > /tmp/alive; done", {
        timeout_sec: 1,
      }),
    );
    expect(refused).toMatchObject({
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

describe("a spawned process", () => {
  test("is told about while it runs and after it has exited", async () => {
    const { processId, pid, startedAt } = await spawn("read line; exit 7");
    expect(pid).toBeGreaterThan(1);
    expect(Date.parse(startedAt ?? "")).toBeGreaterThan(0);
    const { process } = kernel.browsers;
    expect(await process.status(processId, { id })).toMatchObject({
      state: "running",
      exit_code: null,
      cpu_pct: 0,
    });
    expect(await process.stdin(processId, { id, data_b64: btoa("x\n") })).toEqual({ written_bytes: 2 });
    expect(await follow(processId)).toEqual({ stdout: "", stderr: "", code: 7 });
    expect(await process.status(processId, { id })).toMatchObject({ state: "exited", exit_code: 7 });
  });

  test("echoes what it reads, line by line", async () => {
    const { processId } = await spawn(
      'while read -r line; do echo "got $line"; [ $line = end ] && exit 0; done',
    );
    const followed = follow(processId);
    for (const line of ["one", "two", "end"]) {
      await kernel.browsers.process.stdin(processId, { id, data_b64: btoa(`${line}\n`) });
    }
    expect(await followed).toMatchObject({ stdout: "got one\ngot two\ngot end\n", code: 0 });
  });

  test.each(["KILL", "TERM", "INT", "HUP"] as const)("dies of %s with code -1", async (signal) => {
    const { processId } = await spawn("while :; do :; done");
    const followed = follow(processId);
    expect(await kernel.browsers.process.kill(processId, { id, signal })).toEqual({ ok: true });
    expect(await followed).toMatchObject({ code: -1 });
    expect(await refusal(kernel.browsers.process.kill(processId, { id, signal }))).toMatchObject({
      status: 409,
    });
    expect(await refusal(kernel.browsers.process.stdin(processId, { id, data_b64: "YQ==" }))).toMatchObject({
      status: 409,
    });
  });

  test("ends when its time is up", async () => {
    const { process_id = "" } = await kernel.browsers.process.spawn(id, {
      command: "sleep",
      args: ["100"],
      timeout_sec: 1,
    });
    expect(await follow(process_id)).toMatchObject({ code: -1 });
  });

  test("has no terminal", async () => {
    const { process } = kernel.browsers;
    const withTerminal = process.spawn(id, { command: "bash", allocate_tty: true, rows: 24, cols: 80 });
    expect(await refusal(withTerminal)).toMatchObject({
      status: 400,
      message: expect.stringContaining("allocate_tty: this machine has no terminals"),
    });
    const { processId } = await spawn("sleep 15");
    expect(await refusal(process.resize(processId, { id, rows: 1, cols: 1 }))).toMatchObject({
      status: 400,
      message: expect.stringContaining("not PTY-backed"),
    });
    await process.kill(processId, { id, signal: "KILL" });
  });

  test("that is unknown is 404, and bad input 400", async () => {
    const { process } = kernel.browsers;
    const unknown = crypto.randomUUID();
    expect(await refusal(process.status(unknown, { id }))).toMatchObject({ status: 404 });
    expect(await refusal(process.stdoutStream(unknown, { id }))).toMatchObject({ status: 404 });
    expect(await refusal(process.kill(unknown, { id, signal: "KILL" }))).toMatchObject({ status: 404 });
    expect(await refusal(process.stdin(unknown, { id, data_b64: "%" }))).toMatchObject({ status: 400 });
    const signal = "STOP" as "KILL";
    expect(await refusal(process.kill(unknown, { id, signal }))).toMatchObject({
      status: 400,
      message: expect.stringContaining("signal: invalid signal"),
    });
  });

  test("is one of a bounded number", async () => {
    const many = Array.from({ length: 64 }, () => spawn("sleep 15"));
    const settled = await Promise.allSettled([...many, spawn("true")]);
    const refused = settled.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const result of settled) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ status: 429 });
      else
        await kernel.browsers.process
          .kill(result.value.processId, { id, signal: "KILL" })
          .catch(() => undefined);
    }
    expect(await exec({ command: "true" })).toMatchObject({ code: 0 });
  });
});

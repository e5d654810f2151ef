import Kernel from "@onkernel/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type TestSession } from "./engines.ts";

describe.each(Object.entries(ENGINES))("the process routes over %s", (_, openSession) => {
  let session: TestSession;
  let processes: Kernel["browsers"]["process"];
  let id: string;

  beforeAll(async () => {
    session = await openSession();
    id = session.service.sessionId;
    processes = session.service.kernel.browsers.process;
  });
  afterAll(() => session?.end());

  async function exec(command: string, args: string[] = [], options: object = {}) {
    const result = await processes.exec(id, { command, args, cwd: "/tmp", ...options });
    return {
      code: result.exit_code,
      stdout: Buffer.from(result.stdout_b64 ?? "", "base64").toString(),
      stderr: Buffer.from(result.stderr_b64 ?? "", "base64").toString(),
    };
  }

  async function errorOf(request: Promise<unknown>) {
    const error = await request.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof Kernel.APIError)) throw new Error("Expected an API error", { cause: error });
    return { status: error.status, code: (error.error as { code?: string }).code };
  }

  test("run a program and a shell command line", async () => {
    expect(await exec("echo", ["a b", "c"])).toEqual({ code: 0, stdout: "a b c\n", stderr: "" });
    expect(await exec("echo out; echo err >&2; exit 3")).toEqual({
      code: 3,
      stdout: "out\n",
      stderr: "err\n",
    });
  });

  test("accept variables and a directory, and share files with the file routes", async () => {
    const { fs } = session.service.kernel.browsers;
    await fs.createDirectory(id, { path: "/tmp/shared", mode: "777" });
    const options = { cwd: "/tmp/shared", env: { NAME: "value" } };
    expect(await exec("bash", ["-c", 'printf %s "$NAME" > f; cat f'], options)).toMatchObject({
      stdout: "value",
    });
    expect(await (await fs.readFile(id, { path: "/tmp/shared/f" })).text()).toBe("value");
  });

  test("reject unknown programs, directories and users", async () => {
    expect(await errorOf(processes.exec(id, { command: "no-such-program", args: ["x"] }))).toMatchObject({
      status: 400,
      code: "command_not_found",
    });
    const nowhere = processes.exec(id, { command: "true", args: ["x"], cwd: "/tmp/nowhere" });
    expect(await errorOf(nowhere)).toMatchObject({ code: "no_such_directory" });
    const unknownUser = processes.exec(id, { command: "true", as_user: "nobody-here" });
    expect(await errorOf(unknownUser)).toMatchObject({ status: 400 });
  });

  test("kill a program at its time limit", async () => {
    const endless = processes.exec(id, { command: "sleep", args: ["60"], cwd: "/tmp", timeout_sec: 1 });
    expect(await errorOf(endless)).toMatchObject({ status: 500 });
  });

  test("spawn a process, write to it and stream its output", async () => {
    const { process_id = "" } = await processes.spawn(id, { command: "cat", args: ["-"], cwd: "/tmp" });
    const output = await processes.stdoutStream(process_id, { id });
    await processes.stdin(process_id, { id, data_b64: Buffer.from("hello").toString("base64") });
    const events: object[] = [];
    let text = "";
    for await (const event of output) {
      events.push(event);
      text += Buffer.from(event.data_b64 ?? "", "base64").toString();
      if (text === "hello" && events.length === 1) await processes.kill(process_id, { id, signal: "TERM" });
    }
    expect(events.at(-1)).toEqual({ event: "exit", exit_code: -1 });
    expect(text).toBe("hello");
    expect(await processes.status(process_id, { id })).toMatchObject({ state: "exited", exit_code: -1 });
    const late = processes.stdin(process_id, { id, data_b64: "" });
    expect(await errorOf(late)).toMatchObject({ status: 409 });
  });

  test("report new files to a watch of a directory", async () => {
    const { fs } = session.service.kernel.browsers;
    await fs.createDirectory(id, { path: "/tmp/watched", mode: "777" });
    const { watch_id = "" } = await fs.watch.start(id, { path: "/tmp/watched" });
    const events = await fs.watch.events(watch_id, { id });
    await exec("bash", ["-c", "echo x > watched/f"]);
    for await (const event of events) {
      expect(event).toMatchObject({ type: "CREATE", path: "/tmp/watched/f", is_dir: false });
      break;
    }
    await fs.watch.stop(watch_id, { id });
  });
});

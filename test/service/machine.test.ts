import { beforeAll, describe, expect, test } from "vitest";
import { MACHINES, Processes, statusOf, textOf } from "../conformance/machine-api.ts";
import { SharedService } from "../conformance/shared-service.ts";

const service = await SharedService.use();
const kernel = service.kernel();

describe.each(MACHINES)("a %s machine", (machine) => {
  const options = { timeout_seconds: 600, headless: true, machine };
  let id: string;
  let processes: Processes;

  beforeAll(async () => {
    id = await newSession();
    processes = new Processes(kernel, id);
  });

  async function newSession(): Promise<string> {
    return (await kernel.browsers.create(options)).session_id;
  }

  async function readText(path: string): Promise<string> {
    return (await kernel.browsers.fs.readFile(id, { path })).text();
  }

  describe("file API", () => {
    test("writes, reads, lists, moves and deletes files", async () => {
      const { fs } = kernel.browsers;
      await fs.createDirectory(id, { path: "/home/kernel/work/deep" });
      await fs.writeFile(id, Buffer.from("hello"), { path: "/home/kernel/work/a.txt", mode: "600" });
      expect(await readText("/home/kernel/work/a.txt")).toBe("hello");
      expect(await fs.fileInfo(id, { path: "/home/kernel/work/a.txt" })).toEqual({
        name: "a.txt",
        path: "/home/kernel/work/a.txt",
        is_dir: false,
        mode: "-rw-------",
        size_bytes: 5,
        mod_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
      const names = (await fs.listFiles(id, { path: "/home/kernel/work" })).map(({ name, mode }) => [
        name,
        mode,
      ]);
      expect(names).toEqual([
        ["a.txt", "-rw-------"],
        ["deep", "drwxr-xr-x"],
      ]);
      await fs.move(id, { src_path: "/home/kernel/work", dest_path: "/home/kernel/moved" });
      expect(await readText("/home/kernel/moved/a.txt")).toBe("hello");
      await fs.setFilePermissions(id, { path: "/home/kernel/moved/a.txt", mode: "755", owner: "kernel" });
      expect(await fs.fileInfo(id, { path: "/home/kernel/moved/a.txt" })).toMatchObject({
        mode: "-rwxr-xr-x",
      });
      await fs.deleteFile(id, { path: "/home/kernel/moved/a.txt" });
      expect(await statusOf(fs.readFile(id, { path: "/home/kernel/moved/a.txt" }))).toBe(404);
      await fs.deleteDirectory(id, { path: "/home/kernel/moved" });
      expect(await statusOf(fs.deleteDirectory(id, { path: "/home/kernel/moved" }))).toBe(404);
    });
  });

  describe("process API", () => {
    test("returns the exit code, the exact output and the duration", async () => {
      expect(
        await processes.exec({ command: "sh", args: ["-c", "printf out; printf err 1>&2; exit 3"] }),
      ).toMatchObject({
        code: 3,
        out: "out",
        error: "err",
        ms: expect.any(Number),
      });
      const { stdout_b64 } = await kernel.browsers.process.exec(id, {
        command: "printf",
        args: ["\\377\\000\\303\\251"],
      });
      expect(Buffer.from(stdout_b64 ?? "", "base64").toString("hex")).toBe("ff00c3a9");
    });

    test("streams output from the beginning to every reader", async () => {
      const { processId } = await processes.spawn("printf ABC; read a; printf DEF 1>&2; read b; echo $a$b");
      const first = processes.follow(processId);
      const stream = await kernel.browsers.process.stdoutStream(processId, { id });
      for await (const { data_b64 } of stream) {
        expect(textOf(data_b64)).toBe("ABC");
        break;
      }
      await kernel.browsers.process.stdin(processId, { id, data_b64: btoa("1\n") });
      await kernel.browsers.process.stdin(processId, { id, data_b64: btoa("2\n") });
      const whole = { stdout: "ABC12\n", stderr: "DEF", code: 0 };
      expect(await first).toEqual(whole);
      expect(await processes.follow(processId)).toEqual(whole);
    });
  });

  test("sessions do not share files", async () => {
    const [one, other] = [await newSession(), await newSession()];
    await kernel.browsers.fs.writeFile(one, Buffer.from("one"), { path: "/tmp/file" });
    expect(await statusOf(kernel.browsers.fs.readFile(other, { path: "/tmp/file" }))).toBe(404);
    await kernel.browsers.deleteByID(one);
    await kernel.browsers.deleteByID(other);
  });

  test("ending a session removes its files and processes", async () => {
    const id = await newSession();
    await kernel.browsers.fs.writeFile(id, Buffer.from("x"), { path: "/tmp/file" });
    const { process_id = "" } = await kernel.browsers.process.spawn(id, { command: "sleep", args: ["1000"] });
    const stream = await kernel.browsers.process.stdoutStream(process_id, { id });
    const events = Array.fromAsync(stream);
    await kernel.browsers.deleteByID(id);
    expect(await events).toEqual([{ event: "exit", exit_code: -1 }]);
    expect(await statusOf(kernel.browsers.fs.readFile(id, { path: "/tmp/file" }))).toBe(404);
    expect(await statusOf(kernel.browsers.process.exec(id, { command: "true" }))).toBe(404);
    expect(await statusOf(kernel.browsers.process.status(process_id, { id }))).toBe(404);
  });
});

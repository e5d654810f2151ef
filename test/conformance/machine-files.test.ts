import { once } from "node:events";
import { Agent, request } from "node:http";
import { toFile } from "@onkernel/sdk";
import { beforeAll, describe, expect, test } from "vitest";
import { MACHINES, statusOf } from "./machine-api.ts";
import { SharedService } from "./shared-service.ts";

const MEBIBYTE = 1024 * 1024;

const service = await SharedService.use();
const kernel = service.kernel();

describe.each(MACHINES)("a %s machine", (machine) => {
  const options = { timeout_seconds: 3600, headless: true, machine };
  let id: string;

  beforeAll(async () => {
    ({ session_id: id } = await kernel.browsers.create(options));
  });

  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
  const readFile = async (path: string) => bytesOf(await kernel.browsers.fs.readFile(id, { path }));
  const readText = async (path: string) => (await readFile(path)).toString();

  function sendRequest(path: string, init: RequestInit & { duplex?: "half" } = {}) {
    const headers = { authorization: `Bearer ${service.apiKey}`, ...init.headers };
    return fetch(`${service.baseURL}/browsers/${id}/fs/${path}`, { ...init, headers });
  }

  describe("file API", () => {
    test.each([
      ["0", "----------"],
      ["7", "-------rwx"],
      ["666", "-rw-rw-rw-"],
      ["00644", "-rw-r--r--"],
      ["4755", "urwxr-xr-x"],
    ])("sets mode %s on new files and directories", async (mode, shown) => {
      const { fs } = kernel.browsers;
      const path = `/tmp/mode-${mode}`;
      await fs.writeFile(id, Buffer.from("new"), { path, mode });
      expect((await fs.fileInfo(id, { path })).mode).toBe(shown);
      await fs.writeFile(id, Buffer.from("old"), { path, mode: "640" });
      expect((await fs.fileInfo(id, { path })).mode).toBe("-rw-r-----");
      await fs.createDirectory(id, { path: `/tmp/directory-${mode}/below`, mode });
      expect((await fs.fileInfo(id, { path: `/tmp/directory-${mode}/below` })).mode).toBe(
        shown.replace(/^-|(?=^u)/, "d"),
      );
      expect((await fs.fileInfo(id, { path: `/tmp/directory-${mode}` })).mode).toBe("drwxr-xr-x");
    });

    test("keeps the mode when a file is overwritten, also with nothing", async () => {
      const { fs } = kernel.browsers;
      await fs.writeFile(id, Buffer.from("long content"), { path: "/tmp/mode", mode: "640" });
      await fs.writeFile(id, Buffer.alloc(0), { path: "/tmp/mode" });
      expect(await fs.fileInfo(id, { path: "/tmp/mode" })).toMatchObject({
        mode: "-rw-r-----",
        size_bytes: 0,
      });
      expect(await readText("/tmp/mode")).toBe("");
    });

    test("lists an empty directory as an empty array", async () => {
      await kernel.browsers.fs.createDirectory(id, { path: "/tmp/empty" });
      expect(await kernel.browsers.fs.listFiles(id, { path: "/tmp/empty" })).toEqual([]);
    });

    test.each([
      ["GET", "read_file?path=relative", undefined, 400, "path: must be an absolute path"],
      ["GET", "read_file", undefined, 400, "path: "],
      ["GET", "read_file?path=/a%00b", undefined, 400, "path: must not contain NUL"],
      ["GET", `read_file?path=/${"a".repeat(4096)}`, undefined, 400, "path: must have at most 4096 bytes"],
      ["GET", `read_file?path=/${"a".repeat(300)}`, undefined, 400, "path: name too long"],
      ["GET", "read_file?path=/nowhere", undefined, 404, "file not found"],
      ["GET", "read_file?path=/tmp", undefined, 400, "path: "],
      ["GET", "list_files?path=/nowhere", undefined, 404, "directory not found"],
      ["GET", "list_files?path=/etc/passwd", undefined, 400, "path: not a directory"],
      ["GET", "file_info?path=/nowhere", undefined, 404, "path not found"],
      ["GET", "download_dir_zip?path=/nowhere", undefined, 404, "directory not found"],
      ["GET", "download_dir_zip?path=/etc/passwd", undefined, 400, "path: path is not a directory"],
      ["PUT", "create_directory", { path: "/tmp/x", mode: "9" }, 400, "mode: "],
      ["PUT", "create_directory", { path: "/tmp/x", mode: "17777" }, 400, "mode: "],
      ["PUT", "create_directory", ["/tmp/x"], 400, "the body must be a JSON object"],
      [
        "PUT",
        "move",
        { src_path: "/etc/passwd", dest_path: "/no/where/x" },
        404,
        "dest_path: parent directory not found",
      ],
      ["PUT", "move", { src_path: "/no/where", dest_path: "/no/where/x" }, 404, "source not found"],
      ["PUT", "create_directory", {}, 400, "path: "],
      ["PUT", "create_directory", { path: "/etc/passwd" }, 409, "path: "],
      ["PUT", "create_directory", { path: "/etc/passwd/x" }, 400, "path: not a directory"],
      ["PUT", "move", { src_path: "/nowhere", dest_path: "/tmp/x" }, 404, "source not found"],
      ["PUT", "move", { src_path: "/etc/passwd", dest_path: "/tmp" }, 409, "dest_path: "],
      ["PUT", "move", { src_path: "x", dest_path: "y" }, 400, "src_path: must be an absolute path"],
      [
        "PUT",
        "move",
        { src_path: "/tmp", dest_path: "/tmp/inside" },
        400,
        "dest_path: a directory cannot be moved into itself",
      ],
      ["PUT", "delete_file", { path: "/nowhere" }, 404, "file not found"],
      ["PUT", "delete_file", { path: "/tmp" }, 400, "path: "],
      ["PUT", "delete_directory", { path: "/etc/passwd" }, 400, "path: not a directory"],
      ["PUT", "delete_directory", { path: "/" }, 400, "path: "],
      ["PUT", "set_file_permissions", { path: "/nowhere", mode: "644" }, 404, "path not found"],
      ["PUT", "set_file_permissions", { path: "/tmp", mode: "644x" }, 400, "mode: "],
      ["PUT", "set_file_permissions", { path: "/tmp", mode: "1777", owner: "nobody?" }, 400, "owner: "],
      ["PUT", "write_file?path=/tmp", {}, 400, "path: "],
      ["PUT", "write_file?path=/etc/passwd/x", {}, 409, "path: already exists"],
      ["POST", "watch", { path: "/nowhere" }, 404, "path not found"],
      ["GET", "watch/nothing/events", undefined, 404, "watch not found"],
      ["DELETE", "watch/nothing", undefined, 404, "watch not found"],
    ])("rejects %s %s with body %j", async (method, path, body, status, message) => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await sendRequest(path, {
        method,
        ...init,
        headers: { "content-type": "application/json" },
      });
      const text = await response.text();
      expect(response.status, text).toBe(status);
      expect(JSON.parse(text)).toMatchObject({ message: expect.stringContaining(message) });
    });

    test("resolves `..` from the target of a symlink, as Linux does", async () => {
      await kernel.browsers.fs.writeFile(id, Buffer.from("found"), { path: "/tmp/one/two/../target" });
      await run("mkdir -p /tmp/elsewhere/inner && ln -s /tmp/elsewhere/inner /tmp/one/link");
      await kernel.browsers.fs.writeFile(id, Buffer.from("there"), { path: "/tmp/one/link/../target" });
      expect(await readText("/tmp/elsewhere/target")).toBe("there");
    });

    test("lists and deletes a directory of 1,000 entries", async () => {
      await run("mkdir /tmp/many && cd /tmp/many && for ((i=0;i<1000;i++)); do : > f$i; done");
      const listed = await kernel.browsers.fs.listFiles(id, { path: "/tmp/many" });
      expect(listed).toHaveLength(1000);
      await kernel.browsers.fs.deleteDirectory(id, { path: "/tmp/many" });
    });
  });

  async function run(script: string): Promise<void> {
    const { exit_code, stderr_b64 } = await kernel.browsers.process.exec(id, {
      command: "bash",
      args: ["-c", script],
      as_root: true,
    });
    expect(exit_code, Buffer.from(stderr_b64 ?? "", "base64").toString()).toBe(0);
  }

  test("a broken upload leaves the old file and no partial one", async () => {
    await kernel.browsers.fs.writeFile(id, Buffer.from("old"), { path: "/tmp/broken/file" });
    const upload = request(`${service.baseURL}/browsers/${id}/fs/write_file?path=/tmp/broken/file`, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${service.apiKey}`,
        "content-type": "application/octet-stream",
        "content-length": String(10 * MEBIBYTE),
      },
    });
    upload.on("error", () => {});
    upload.write(Buffer.alloc(2 * MEBIBYTE, "x"));
    await once(upload, "drain");
    const closed = new Promise((resolve) => upload.once("close", resolve));
    upload.destroy();
    await closed;
    expect(await readText("/tmp/broken/file")).toBe("old");
    expect(await kernel.browsers.fs.listFiles(id, { path: "/tmp/broken" })).toHaveLength(1);
  });

  test.each([
    ["without a valid API key", "/tmp/x", "no key", 401],
    ["to a relative path", "tmp/x", undefined, 400],
  ])("the connection serves the next request after rejecting a write %s", async (_, path, key, status) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (method: string, route: string, body: Buffer | undefined, token = service.apiKey) =>
      new Promise<number | undefined>((resolve, reject) => {
        const url = `${service.baseURL}/browsers/${id}/fs/${route}`;
        const sent = request(
          url,
          { method, agent, headers: { authorization: `Bearer ${token}` } },
          (answer) => {
            answer.resume().on("end", () => resolve(answer.statusCode));
          },
        );
        sent.on("error", reject).end(body);
      });
    for (const size of [100_000, 5_000_000]) {
      const target = `write_file?path=${encodeURIComponent(path)}`;
      expect(await send("PUT", target, Buffer.alloc(size), key)).toBe(status);
      expect(await send("GET", "list_files?path=/tmp", undefined)).toBe(200);
    }
    agent.destroy();
  });

  test("file times beyond ext4's limits are clamped", async () => {
    await run(
      "mkdir /tmp/times && cd /tmp/times && touch -d @99999999999999 late && touch -d @-99999999999999 early",
    );
    const times = (await kernel.browsers.fs.listFiles(id, { path: "/tmp/times" })).map(
      ({ mod_time }) => mod_time,
    );
    expect(times).toEqual(["1901-12-13T20:45:52.000Z", "2446-05-10T22:38:55.000Z"]);
  });

  describe("file uploads", () => {
    test("store several files", async () => {
      const files = await Promise.all(
        ["a", "b", "c"].map(async (name) => ({
          file: await toFile(Buffer.from(`content of ${name}`), name),
          dest_path: `/tmp/uploads/${name}/file`,
        })),
      );
      await kernel.browsers.fs.upload(id, { files });
      expect(await readText("/tmp/uploads/b/file")).toBe("content of b");
    });

    test("store no file when one cannot be stored", async () => {
      const file = await toFile(Buffer.from("x"), "x");
      const files = [
        { file, dest_path: "/tmp/never" },
        { file, dest_path: "/tmp" },
      ];
      expect(await statusOf(kernel.browsers.fs.upload(id, { files }))).toBe(400);
      expect(await statusOf(kernel.browsers.fs.readFile(id, { path: "/tmp/never" }))).toBe(404);
      expect(await kernel.browsers.fs.listFiles(id, { path: "/var/spool/uploads" })).toEqual([]);
    });

    test.each(["/tmp/all/a/b", "/etc/passwd/x", `/tmp/${"n".repeat(300)}`])(
      "store no file beside one for %s",
      async (impossible) => {
        await kernel.browsers.fs.writeFile(id, Buffer.from("before"), { path: "/tmp/all/a" });
        const file = await toFile(Buffer.from("after"), "x");
        const files = ["/tmp/all/a", "/tmp/all/new", impossible].map((dest_path) => ({ file, dest_path }));
        expect([400, 409]).toContain(await statusOf(kernel.browsers.fs.upload(id, { files })));
        expect(await readText("/tmp/all/a")).toBe("before");
        expect(
          (await kernel.browsers.fs.listFiles(id, { path: "/tmp/all" })).map(({ name }) => name),
        ).toEqual(["a"]);
      },
    );

    test("restore a directory downloaded as a zip", async () => {
      await run(
        "mkdir -p /tmp/tree/sub/empty && cd /tmp/tree && echo one > sub/one && chmod 750 sub/one && ln -s sub/one link",
      );
      const zip = await bytesOf(await kernel.browsers.fs.downloadDirZip(id, { path: "/tmp/tree" }));
      await kernel.browsers.fs.uploadZip(id, {
        dest_path: "/tmp/copy",
        zip_file: await toFile(zip, "x.zip"),
      });
      expect(await readText("/tmp/copy/sub/one")).toBe("one\n");
      expect(await readText("/tmp/copy/link")).toBe("one\n");
      expect(await kernel.browsers.fs.fileInfo(id, { path: "/tmp/copy/sub/one" })).toMatchObject({
        mode: "-rwxr-x---",
      });
      expect(await kernel.browsers.fs.fileInfo(id, { path: "/tmp/copy/sub/empty" })).toMatchObject({
        is_dir: true,
      });
    });

    test("reject a file that is not a zip", async () => {
      const zip_file = await toFile(Buffer.from("no zip"), "x.zip");
      expect(await statusOf(kernel.browsers.fs.uploadZip(id, { dest_path: "/tmp/none", zip_file }))).toBe(
        400,
      );
      expect(await statusOf(kernel.browsers.fs.listFiles(id, { path: "/tmp/none" }))).toBe(404);
    });
  });

  describe("file watch", () => {
    test("reports events since its start, and ends when stopped", async () => {
      const { fs } = kernel.browsers;
      await fs.createDirectory(id, { path: "/tmp/watched/sub" });
      const { watch_id = "" } = await fs.watch.start(id, { path: "/tmp/watched" });
      await fs.writeFile(id, Buffer.from("x"), { path: "/tmp/watched/a" });
      await fs.writeFile(id, Buffer.from("x"), { path: "/tmp/watched/sub/unseen" });
      await fs.move(id, { src_path: "/tmp/watched/a", dest_path: "/tmp/watched/b" });
      const events = await fs.watch.events(watch_id, { id });
      const received: string[] = [];
      const reading = (async () => {
        for await (const { type, path, name, is_dir } of events) {
          received.push(`${type} ${path} ${name} ${is_dir}`);
          if (type === "DELETE") await fs.watch.stop(watch_id, { id });
        }
      })();
      await fs.deleteFile(id, { path: "/tmp/watched/b" });
      await reading;
      expect(received).toEqual([
        "CREATE /tmp/watched/a a false",
        "WRITE /tmp/watched/a a false",
        "RENAME /tmp/watched/a a false",
        "CREATE /tmp/watched/b b false",
        "DELETE /tmp/watched/b b false",
      ]);
      expect(await statusOf(fs.watch.stop(watch_id, { id }))).toBe(404);
    });

    test("reports nested changes by commands when recursive", async () => {
      const { fs } = kernel.browsers;
      await fs.createDirectory(id, { path: "/tmp/deep/one/two" });
      const { watch_id = "" } = await fs.watch.start(id, { path: "/tmp/deep", recursive: true });
      await run("echo x > /tmp/deep/one/two/three");
      const events = await fs.watch.events(watch_id, { id });
      for await (const { type, path } of events) {
        expect({ type, path }).toEqual({ type: "CREATE", path: "/tmp/deep/one/two/three" });
        break;
      }
      await fs.watch.stop(watch_id, { id });
    });
  });
});

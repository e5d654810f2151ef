import { describe, expect, it } from "vitest";
import { execResultSchema } from "../../../src/api/processes/schema.ts";
import { type Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { LogStream } from "../../log-stream.ts";

useFakeBrowsers();

const RESTARTED = "[the file was truncated or replaced; lines that were not sent before are lost]";
const MAX_LINE = 64 * 1024;

async function newSession() {
  const client = await newClient();
  const { session_id: id } = await client.createSession({ timeout_seconds: 600, name: "named" });
  const run = async (script: string) => {
    const answer = await client.post(`/browsers/${id}/process/exec`, {
      command: "bash",
      args: ["-c", script],
      as_root: true,
    });
    expect(answer.read(execResultSchema)).toMatchObject({ exit_code: 0, stderr_b64: "" });
  };
  const write = async (path: string, text: string) => {
    const query = new URLSearchParams({ path });
    expect((await client.call("PUT", `/browsers/${id}/fs/write_file?${query}`, { text })).status).toBe(201);
  };
  return { client, id, run, write };
}

function open(client: Client, id: string, path: string, follow = true): Promise<LogStream> {
  return LogStream.open(client, id, { source: "path", path, follow: String(follow) });
}

async function refusal(client: Client, id: string, query: string) {
  return client.get(`/browsers/${id}/logs/stream?${query}`);
}

describe("the lines of a file", () => {
  it("are sent to their end without follow", async () => {
    const { client, id, write } = await newSession();
    await write("/tmp/log", "first\n\nthird é\nno newline");
    const log = await open(client, "named", "/tmp/log", false);
    expect(await log.rest()).toEqual(["first", "", "third é", "no newline"]);
    await write("/tmp/empty", "");
    expect(await (await open(client, id, "/tmp/empty", false)).rest()).toEqual([]);
  });

  it("are those from now on with follow, once they are complete", async () => {
    const { client, id, run, write } = await newSession();
    await write("/tmp/log", "old\n");
    const log = await open(client, id, "/tmp/log");
    await run("printf new >> /tmp/log; echo unrelated > /tmp/other");
    await run("echo ' line' >> /tmp/log; echo next >> /tmp/log");
    expect(await log.take(2)).toEqual(["new line", "next"]);
    await log.close();
  });

  it("begin when a missing file appears, in a directory that appears, or behind a symlink", async () => {
    const { client, id, run } = await newSession();
    const log = await open(client, id, "/tmp/a/b/log");
    await run("mkdir -p /tmp/real; echo first > /tmp/real/log; ln -s /tmp/real /tmp/a.new");
    await run("mkdir /tmp/a; mv /tmp/a.new /tmp/a/b");
    expect(await log.next()).toBe("first");
    await run("echo second >> /tmp/real/log");
    expect(await log.next()).toBe("second");
    await log.close();
  });

  it("begin again when the file is truncated, replaced or rotated, which is said", async () => {
    const { client, id, run, write } = await newSession();
    await write("/tmp/log", "old lines\n");
    const log = await open(client, id, "/tmp/log");
    await run("printf incomplete >> /tmp/log");
    await run("echo cut > /tmp/log");
    expect(await log.take(3)).toEqual(["incomplete", RESTARTED, "cut"]);
    await run("echo a much longer line > /tmp/new; mv /tmp/new /tmp/log");
    expect(await log.take(2)).toEqual([RESTARTED, "a much longer line"]);
    await run("mv /tmp/log /tmp/log.1");
    await run("echo lost >> /tmp/log.1; echo rotated > /tmp/log");
    expect(await log.take(2)).toEqual([RESTARTED, "rotated"]);
    await run("rm /tmp/log; mkdir /tmp/log");
    await run("rmdir /tmp/log; echo back > /tmp/log");
    expect(await log.take(2)).toEqual([RESTARTED, "back"]);
    await log.close();
  });

  it("are cut at 64 KiB, between characters", async () => {
    const { client, id, write } = await newSession();
    const exact = "x".repeat(MAX_LINE);
    const huge = `y${"é".repeat(MAX_LINE)}`;
    await write("/tmp/log", `${exact}\n${huge}\nend`);
    const lines = await (await open(client, id, "/tmp/log", false)).rest();
    expect(lines.map((line) => line.length)).toEqual([MAX_LINE, MAX_LINE / 2, MAX_LINE / 2, 1, 3]);
    expect(lines.join("")).toBe(`${exact}${huge}end`);
  });

  it("wait in the file for a slow client, and none is missing", async () => {
    const { client, id, run } = await newSession();
    await run("touch /tmp/log");
    const log = await open(client, id, "/tmp/log");
    for (const letter of "abcd") await run(`yes ${letter.repeat(99)} | head -c 500000 >> /tmp/log`);
    await run("echo end >> /tmp/log");
    const counts = new Map<string, number>();
    for (let line = await log.next(); line !== "end"; line = await log.next()) {
      counts.set(line ?? "ended", (counts.get(line ?? "ended") ?? 0) + 1);
    }
    expect([...counts.values()]).toEqual(Array.from("abcd", () => 5000));
    await log.close();
  });

  it("end with the session", async () => {
    const { client, id, run } = await newSession();
    await run("touch /tmp/log");
    const logs = [await open(client, id, "/tmp/log"), await open(client, id, "/tmp/missing")];
    await run("echo last >> /tmp/log");
    expect(await logs[0]?.next()).toBe("last");
    await client.delete(`/browsers/${id}`);
    expect(await Promise.all(logs.map((log) => log.rest()))).toEqual([[], []]);
  });

  it("are a watch of the session until the stream ends", async () => {
    const { client, id, write } = await newSession();
    // More than is sent before the client reads.
    await write("/tmp/log", `${"x".repeat(60_000)}\n`.repeat(100));
    const whole = await open(client, id, "/tmp/log", false);
    for (let count = 1; count < 100; count += 1) await open(client, id, "/tmp/log");
    expect((await refusal(client, id, "source=path&path=/tmp/log")).status).toBe(429);
    expect(await whole.rest()).toHaveLength(100);
    await (await open(client, id, "/tmp/log")).close();
    await client.delete(`/browsers/${id}`);
  });

  it("are refused to other organizations", async () => {
    const { client, id, write } = await newSession();
    await write("/tmp/log", "secret\n");
    const query = "source=path&path=/tmp/log&follow=false";
    const other = await newClient();
    for (const name of [id, "named"]) expect((await refusal(other, name, query)).status).toBe(404);
    expect((await refusal(client, id, query)).text).toContain("secret");
  });

  it.each([
    ["source=path&path=/tmp", 400, "path"],
    ["source=path&path=/tmp&follow=false", 400, "path"],
    ["source=path&path=/etc/passwd/x", 400, "path"],
    ["source=path&path=tmp/log", 400, "path"],
    ["source=path&path=", 400, "path"],
    ["source=path", 400, "path"],
    ["source=disk&path=/tmp/log", 400, "source"],
    ["path=/tmp/log", 400, "source"],
    ["source=path&path=/tmp/log&follow=maybe", 400, "follow"],
    ["source=path&path=/tmp/log&follow=false", 404, undefined],
  ])("are refused for %s with %d", async (query, status, field) => {
    const { client, id } = await newSession();
    const response = await refusal(client, id, query);
    expect(response.status, response.text).toBe(status);
    if (field !== undefined) expect(response.invalidFields).toEqual([field]);
  });
});

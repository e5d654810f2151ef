import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { execResultSchema, processStatusSchema, spawnedSchema } from "../../../src/api/processes/schema.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { type Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { advanceTime, crashObject, EMPTY_STORAGE, readObject, readRecord } from "../../objects.ts";

useFakeBrowsers();

const machineOf = (id: string) => env.SESSION_MACHINE.getByName(id);

async function newSession() {
  const client = await newClient();
  const { session_id: id } = await client.createSession({ timeout_seconds: 600, name: "named" });
  return { client, id };
}

async function run(client: Client, id: string, script: string) {
  const answer = await client.post(`/browsers/${id}/process/exec`, { command: "bash", args: ["-c", script] });
  const { exit_code, stdout_b64 } = answer.read(execResultSchema);
  return { code: exit_code, out: atob(stdout_b64) };
}

const readMachine = (id: string) => readObject(machineOf(id));

describe("SessionMachine", () => {
  it("is not created for other organizations and unknown sessions", async () => {
    const { id } = await newSession();
    expect(await readRecord(id)).not.toHaveProperty("hasMachine");
    const otherClient = await newClient();
    const unknownId = newIdentifier();
    for (const sessionId of [id, unknownId]) {
      const answer = await otherClient.get(`/browsers/${sessionId}/fs/read_file?path=/etc/passwd`);
      expect(answer.status).toBe(404);
      expect(await readMachine(sessionId)).toEqual(EMPTY_STORAGE);
    }
    expect(await readRecord(id)).not.toHaveProperty("hasMachine");
  });

  it("is accessible to its owner only, even after a restart", async () => {
    const { client, id } = await newSession();
    const otherClient = await newClient();
    expect((await run(client, id, "echo mine > /tmp/file")).code).toBe(0);
    const read = (caller: Client) => caller.get(`/browsers/${id}/fs/read_file?path=/tmp/file`);
    for (const step of ["opened", "restarted"]) {
      expect((await read(otherClient)).status, step).toBe(404);
      expect((await otherClient.post(`/browsers/${id}/process/exec`, { command: "true" })).status).toBe(404);
      expect((await read(client)).text, step).toBe("mine\n");
      await crashObject(machineOf(id));
    }
  });

  it("is found by the session's name", async () => {
    const { client } = await newSession();
    expect((await run(client, "named", "pwd")).out).toBe("/home/kernel\n");
  });

  it.each(["curl", "wget"])("has %s without network access by default", async (command) => {
    const { client, id } = await newSession();
    const { code, out } = await run(client, id, `${command} http://example.com/ 2>&1`);
    expect(out).toContain("network access is off (setting MACHINE_NETWORK)");
    expect(code).toBe(command === "curl" ? 7 : 4);
  });

  it("reports processes that a restart ended and runs new ones", async () => {
    const { client, id } = await newSession();
    const spawn = { command: "sleep", args: ["1000"] };
    const { process_id } = (await client.post(`/browsers/${id}/process/spawn`, spawn)).read(spawnedSchema);
    const status = async () =>
      (await client.get(`/browsers/${id}/process/${process_id}/status`)).read(processStatusSchema);
    expect(await status()).toMatchObject({ state: "running", exit_code: null });
    await crashObject(machineOf(id));
    expect(await status()).toMatchObject({ state: "exited", exit_code: -1 });
    const stream = await client.get(`/browsers/${id}/process/${process_id}/stdout/stream`);
    expect(stream.text).toBe('data: {"event":"exit","exit_code":-1}\n\n');
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    expect((await run(client, id, "echo new")).out).toBe("new\n");
  });

  it("sets alarms only while a spawned process runs", async () => {
    const { client, id } = await newSession();
    const spawn = { command: "sleep", args: ["1000"] };
    const { process_id } = (await client.post(`/browsers/${id}/process/spawn`, spawn)).read(spawnedSchema);
    await expect.poll(async () => (await readMachine(id)).alarm).not.toBeNull();
    advanceTime(10_000);
    await runDurableObjectAlarm(machineOf(id));
    expect((await readMachine(id)).alarm).toBeGreaterThan(Date.now());
    await client.post(`/browsers/${id}/process/${process_id}/kill`, { signal: "KILL" });
    advanceTime(10_000);
    await runDurableObjectAlarm(machineOf(id));
    expect((await readMachine(id)).alarm).toBeNull();
  });

  it("kills processes, closes streams and deletes everything when its session ends", async () => {
    const { client, id } = await newSession();
    const running = client.post(`/browsers/${id}/process/exec`, { command: "sleep", args: ["1000"] });
    const watch = await client.post(`/browsers/${id}/fs/watch`, { path: "/tmp" });
    const { watch_id } = z.object({ watch_id: z.string() }).parse(watch.json);
    const events = client.get(`/browsers/${id}/fs/watch/${watch_id}/events`);
    await expect.poll(async () => (await run(client, id, "ps -e")).out).toContain("sleep");
    expect((await client.delete(`/browsers/${id}`)).status).toBe(204);
    expect((await running).status).toBe(404);
    expect((await events).text).toBe("");
    expect(await readMachine(id)).toEqual(EMPTY_STORAGE);
    expect(await readRecord(id)).toMatchObject({ hasMachine: false });
    const late = await client.get(`/browsers/${id}/fs/list_files?path=/tmp`);
    expect(late.status).toBe(404);
    await crashObject(machineOf(id));
    expect((await client.get(`/browsers/${id}/fs/list_files?path=/tmp`)).status).toBe(404);
    expect(await readMachine(id)).toEqual(EMPTY_STORAGE);
  });

  it("kills the process of a client that disconnects", async () => {
    const { client, id } = await newSession();
    const abort = new AbortController();
    const running = client.call("POST", `/browsers/${id}/process/exec`, {
      body: { command: "sleep", args: ["1000"] },
      signal: abort.signal,
    });
    const isRunning = async () => (await run(client, id, "ps -e")).out.includes("sleep");
    await expect.poll(isRunning).toBe(true);
    abort.abort();
    await running.catch(() => undefined);
    await expect.poll(isRunning).toBe(false);
  });
});

import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { auditLogEntrySchema, verificationSchema } from "../../../src/features/audit/schema.ts";
import { gunzipText } from "../../../src/lib/common/gzip.ts";
import { sha256 } from "../../../src/lib/common/hash.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { newClient, useNewClient } from "../../api.ts";
import { crashObject } from "../../objects.ts";
import { append, listEntries, logOf, newEntry, recentRange } from "./entries.ts";

const client = useNewClient();

describe("GET /audit-logs", () => {
  it("is empty before the first call, and leaves no storage", async () => {
    expect(await listEntries(client)).toEqual([]);
    const keys = await runInDurableObject(logOf(client.organizationId), (_, { storage }) => storage.list());
    expect(keys.size).toBe(0);
  });

  it("hides what the console reads, in all pages", async () => {
    const ofConsole = { auth_strategy: "console_session" } as const;
    const read = { ...ofConsole, path: "/read", method: "GET" };
    await append(
      client.organizationId,
      { path: "/a", method: "GET" },
      read,
      { ...ofConsole, path: "/b", method: "POST" },
      read,
      { path: "/c", method: "GET" },
      read,
    );
    const paths: string[] = [];
    for (let page = ""; paths.length < 3; ) {
      const query = `${recentRange()}&exclude_console_reads=true&limit=1${page}`;
      const answer = await client.get(`/audit-logs?${query}`);
      paths.push(...answer.read(auditLogEntrySchema.array()).map(({ path }) => path));
      page = `&page_token=${answer.headers.get("x-next-page-token")}`;
    }
    expect(paths).toEqual(["/c", "/b", "/a"]);
    expect(await listEntries(client)).toHaveLength(6);
  });

  it("filters", async () => {
    await append(
      client.organizationId,
      { path: "/a", method: "GET", user_id: "one", client_ip: "203.0.113.7", status: 200 },
      { path: "/b", method: "POST", user_id: "two", client_ip: "198.51.100.1", status: 404 },
      { path: "/C", method: "DELETE", user_id: "three", service: "mcp", auth_strategy: "console_session" },
      { path: "/old", timestamp: new Date(Date.now() - 7_200_000).toISOString() },
    );
    const found = async (query: string) =>
      (await listEntries(client, query)).map(({ path }) => path).join(" ");
    expect(await found("")).toBe("/C /b /a");
    expect(await found("method=post")).toBe("/b");
    expect(await found("exclude_method=GET,delete")).toBe("/b");
    expect(await found("exclude_method=GET&exclude_method=POST")).toBe("/C");
    expect(await found("service=mcp")).toBe("/C");
    expect(await found("auth_strategy=console_session")).toBe("/C");
    expect(await found("search=/c")).toBe("/C");
    expect(await found("search=TWO")).toBe("/b");
    expect(await found("search=404")).toBe("/b");
    expect(await found("search=203.0.113.7&method=GET")).toBe("/a");
    expect(await found("search=404&search_user_id=one,three")).toBe("/C /b /a");
    expect(await found("search_user_id=one")).toBe("/a");
    expect(await found("search=nothing")).toBe("");
    expect(await found("service=nothing")).toBe("");
  });

  it("includes the start of the range and excludes its end", async () => {
    const times = [0, 1000, 2000].map((offset) => new Date(Date.now() - 10_000 + offset).toISOString());
    await append(client.organizationId, ...times.map((timestamp) => ({ timestamp })));
    const answer = await client.get(`/audit-logs?start=${times[0]}&end=${times[2]}`);
    expect(answer.json).toMatchObject([{ timestamp: times[1] }, { timestamp: times[0] }]);
  });

  it("pages through entries while new ones arrive, within and across batches", async () => {
    const { organizationId } = client;
    for (const path of ["/0", "/2", "/4", "/6"])
      await append(organizationId, { path }, { path: `/${Number(path.slice(1)) + 1}` });
    const seen: unknown[] = [];
    for (let token = ""; ; ) {
      const answer = await client.get(`/audit-logs?${recentRange()}&limit=3${token}`);
      seen.push(...Array.from(Object(answer.json), ({ path }: { path: string }) => path));
      if (answer.headers.get("x-has-more") === "false") {
        expect(answer.headers.has("x-next-page-token")).toBe(false);
        break;
      }
      token = `&page_token=${answer.headers.get("x-next-page-token")}`;
      await append(organizationId, { path: "/new" });
    }
    expect(seen).toEqual(["/7", "/6", "/5", "/4", "/3", "/2", "/1", "/0"]);
  });

  it("says that no page follows when exactly the limit matches", async () => {
    await append(client.organizationId, {}, { method: "POST" }, {});
    const answer = await client.get(`/audit-logs?${recentRange()}&limit=2&method=GET`);
    expect(answer.headers.get("x-has-more")).toBe("false");
  });

  it("shows only the caller's organization, whatever the page token", async () => {
    const other = await newClient();
    await append(client.organizationId, { path: "/theirs" }, { path: "/theirs" });
    await append(other.organizationId, { path: "/own" });
    const theirs = await client.get(`/audit-logs?${recentRange()}&limit=1`);
    const token = theirs.headers.get("x-next-page-token");
    expect(token).not.toBeNull();
    for (const query of [`page_token=${token}`, "page_token=999999999"]) {
      const paths = (await listEntries(other, query)).map(({ path }) => path);
      expect(paths.filter((path) => path !== "/own")).toEqual([]);
    }
  });

  it.each([
    ["start", "end=2026-01-02T00:00:00Z"],
    ["end", "start=2026-01-02T00:00:00Z"],
    ["start", "start=yesterday&end=2026-01-02T00:00:00Z"],
    ["start", "start=5m&end=2026-01-02T00:00:00Z"],
    ["start", "start=2026-02-30T00:00:00Z&end=2026-03-02T00:00:00Z"],
    ["end", "start=2026-01-02T00:00:00Z&end=2026-01-02T00:00:00Z"],
    ["end", "start=2026-01-01T00:00:00Z&end=2026-01-31T00:00:00.001Z"],
    ["limit", `${recentRange()}&limit=101`],
    ["limit", `${recentRange()}&limit=0`],
    ["page_token", `${recentRange()}&page_token=x`],
    ["page_token", `${recentRange()}&page_token=-1`],
    ["page_token", `${recentRange()}&page_token=1e99`],
  ])("refuses a wrong %s: %s", async (field, query) => {
    expect((await client.get(`/audit-logs?${query}`)).invalidFields).toContain(field);
  });

  it("accepts 30 days, with an offset", async () => {
    const query = "start=2026-01-01T02:00:00%2B02:00&end=2026-01-31T00:00:00.000Z";
    expect((await client.get(`/audit-logs?${query}`)).json).toEqual([]);
  });
});

describe("GET /audit-logs/export/chunk", () => {
  const path = () => `/audit-logs/export/chunk?${recentRange()}`;

  it.each([
    ["cursor", "cursor=x"],
    ["format", "format=csv"],
    ["limit", "limit=50001"],
    ["end", "start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z"],
  ])("refuses a wrong %s: %s", async (field, query) => {
    const range = query.startsWith("start") ? "" : `${recentRange()}&`;
    expect((await client.get(`/audit-logs/export/chunk?${range}${query}`)).invalidFields).toContain(field);
  });

  it("returns lines with their chain, plain and compressed", async () => {
    await append(client.organizationId, { path: "/a" }, { path: "/b" });
    const plain = await client.get(`${path()}&format=jsonl`);
    expect(plain.headers.get("x-content-sha256")).toBe(await sha256(new Uint8Array(plain.bytes)));
    const [newest = "", oldest = ""] = plain.text.trimEnd().split("\n");
    expect(JSON.parse(newest)).toMatchObject({ path: "/b", sequence: 2, event_id: expect.any(String) });
    const { hash } = JSON.parse(oldest);
    const body = newest.replace(/,"hash":"[0-9a-f]{64}"\}$/, "}");
    expect(JSON.parse(newest).hash).toBe(await sha256(`${hash}\n${body}`));
    const compressed = await client.get(path());
    expect(await gunzipText(new Uint8Array(compressed.bytes))).toBe(plain.text);
    expect(compressed.headers.get("x-row-count")).toBe("2");
  });

  it("ends a chunk before it is too large", async () => {
    const { organizationId } = client;
    const large = newEntry({ user_agent: "x".repeat(1_000_000) });
    for (let count = 0; count < 10; count += 1) await append(organizationId, large);
    const first = await client.get(`${path()}&format=jsonl`);
    expect(first.headers.get("x-row-count")).toBe("8");
    const rest = await client.get(`${path()}&format=jsonl&cursor=${first.headers.get("x-next-cursor")}`);
    expect(rest.headers.get("x-row-count")).toBe("2");
    expect(rest.headers.get("x-has-more")).toBe("false");
  });
});

describe("GET /audit-logs/verify", () => {
  const today = () => new Date().toISOString().slice(0, 10);
  const verify = async (query = `day=${today()}`) =>
    (await client.get(`/audit-logs/verify?${query}`)).read(verificationSchema);
  const runSQL = (statement: string) =>
    runInDurableObject(logOf(client.organizationId), (_, { storage }) => {
      storage.sql.exec(statement);
    });

  it("is valid for an empty log and for days without entries", async () => {
    const hash = await sha256(client.organizationId);
    const empty = { valid: true, complete: true, first_sequence: 1, last_sequence: 0, hash };
    expect(await verify()).toEqual(empty);
    await append(client.organizationId, {});
    expect(await verify("day=2020-01-01")).toEqual(empty);
    expect(await verify("day=2100-01-01")).toMatchObject({
      valid: true,
      first_sequence: 2,
      last_sequence: 1,
    });
  });

  it("is valid through batches, and from after an entry", async () => {
    for (let batch = 0; batch < 3; batch += 1) await append(client.organizationId, {}, {});
    const all = await verify();
    expect(all).toMatchObject({ valid: true, complete: true, first_sequence: 1, last_sequence: 6 });
    expect(await verify(`day=${today()}&after=4`)).toEqual({ ...all, first_sequence: 5 });
  });

  it.each([
    ["an edited entry", "UPDATE segments SET lines = replace(lines, '/b', '/x') WHERE first = 3", 2],
    ["an edited last entry", "UPDATE segments SET lines = replace(lines, '/c', '/x') WHERE first = 5", 4],
    [
      "a removed entry",
      "UPDATE segments SET lines = substr(lines, instr(lines, char(10)) + 1) WHERE first = 3",
      2,
    ],
    ["a removed batch", "DELETE FROM segments WHERE first = 3", 2],
    ["a removed first batch", "DELETE FROM segments WHERE first = 1", 0],
    ["a removed last batch", "DELETE FROM segments WHERE first = 5", 4],
    [
      "reordered batches",
      "UPDATE segments SET lines = (SELECT lines FROM segments WHERE first = 5) WHERE first = 3",
      2,
    ],
    ["a missing file", "UPDATE segments SET lines = NULL WHERE first = 3", 2],
  ])("shows %s", async (_, statement, last_sequence) => {
    for (const path of ["/a", "/b", "/c"]) await append(client.organizationId, { path }, { path });
    expect(await verify()).toMatchObject({ valid: true });
    await runSQL(statement);
    expect(await verify()).toMatchObject({ valid: false, last_sequence });
  });

  it("refuses a wrong day", async () => {
    for (const query of ["", "day=x", "day=2026-02-30", `day=${today()}&after=-1`]) {
      expect((await client.get(`/audit-logs/verify?${query}`)).status).toBe(400);
    }
  });
});

describe("an audit log", () => {
  it("ignores a batch that arrives twice", async () => {
    const { organizationId } = client;
    const batch = newIdentifier();
    for (let times = 0; times < 2; times += 1) {
      await logOf(organizationId).append(organizationId, batch, [newEntry({ path: "/once" })]);
    }
    expect(await listEntries(client)).toHaveLength(1);
  });

  it("survives a restart", async () => {
    const { organizationId } = client;
    await append(organizationId, { path: "/before" });
    await crashObject(logOf(organizationId));
    await append(organizationId, { path: "/after" });
    expect((await listEntries(client)).map(({ path, sequence }) => [path, sequence])).toEqual([
      ["/after", 2],
      ["/before", 1],
    ]);
  });
});

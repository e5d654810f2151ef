import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { isIdentifier } from "../../../src/lib/common/identifiers.ts";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { recordStatements, type Statement } from "../../recorded-statements.ts";

const browsers = useFakeBrowsers();

const statements: Statement[] = [];
const database = env.DB;
env.DB = recordStatements(database, statements);
afterAll(() => {
  env.DB = database;
});

beforeEach(() => {
  statements.length = 0;
});

/** Brokers list the living sessions when they reconcile. */
const OF_BROKERS = /^select .* where state <> 'ended' AND/;

/**
 * The statements that concern one of the ids, or nothing with an id: sessions of other tests may still be
 * ending. Events for webhooks are inserted in the background, whether there are webhooks or not.
 */
function inForeground(...ids: string[]): string[] {
  return statements
    .filter(({ parameters }) => {
      const named = parameters.filter((value) => typeof value === "string" && isIdentifier(value));
      return named.length === 0 || ids.some((id) => named.includes(id));
    })
    .map(({ query }) => query)
    .filter((query) => !query.includes("webhook_deliveries") && !OF_BROKERS.test(query));
}

async function newCachedClient() {
  const client = await newClient();
  await client.get("/browsers");
  statements.length = 0;
  return client;
}

describe("the cost of a session in the database", () => {
  it.each([
    ["nothing", {}],
    [
      "tags, a start URL and telemetry",
      { tags: { a: "b" }, start_url: "about:blank", telemetry: { enabled: true } },
    ],
    ["a region", { region: "weur" }],
  ])("is one write and no read for a create with %s", async (_, body) => {
    const client = await newCachedClient();
    await client.createSession(body);
    expect(inForeground(client.organizationId)).toEqual([
      expect.stringMatching(/^insert into "browser_sessions"/),
    ]);
  });

  it("is an insert and an update for a create with a name", async () => {
    const client = await newCachedClient();
    const { session_id } = await client.createSession({ name: "worker" });
    expect(inForeground(client.organizationId, session_id)).toEqual([
      expect.stringMatching(/^insert into "browser_sessions"/),
      expect.stringMatching(/^update "browser_sessions"/),
    ]);
  });

  it("is nothing for a create at the limit that the broker knows", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    await client.createSession();
    const launched = browsers.launched.length;
    statements.length = 0;
    expect((await client.post("/browsers")).status).toBe(429);
    expect([inForeground(client.organizationId), browsers.launched.length]).toEqual([[], launched]);
  });

  it("is one transaction for an end, which also counts its use", async () => {
    const client = await newCachedClient();
    const { session_id } = await client.createSession();
    statements.length = 0;
    expect((await client.delete(`/browsers/${session_id}`)).status).toBe(204);
    expect(inForeground(session_id).map((query) => query.split(" ", 1)[0])).toEqual([
      "insert",
      "insert",
      "delete",
      "update",
    ]);
  });
});

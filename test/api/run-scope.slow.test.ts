import { beforeAll, describe, expect, it } from "vitest";
import { isAllowedForRun } from "../../src/api/run-scope.ts";
import { newIdentifier } from "../../src/lib/common/identifiers.ts";
import { newClient } from "../api.ts";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";
import { useBlockedRuns, type WaitingRun } from "../features/apps/invocations/waiting-runs.ts";
import { readSessionRow } from "../records.ts";
import { bodyOfRoute, CALLER_ROUTES, fillRoute, OPERATOR_ROUTES } from "../routes.ts";

useFakeBrowsers();
const startRun = useBlockedRuns();

/** Routes open to a run besides `/browsers/{id}`; those of invocations only for its own. */
const OPEN = new Set([
  "GET /browsers",
  "POST /browsers",
  "GET /invocations/:id",
  "PATCH /invocations/:id",
  "GET /invocations/:id/events",
  "GET /invocations/:id/browsers",
  "DELETE /invocations/:id/browsers",
]);
const SESSION_ROUTES = CALLER_ROUTES.filter((route) => / \/browsers\/:/.test(route));
const FORBIDDEN_ROUTES = CALLER_ROUTES.filter((route) => !OPEN.has(route) && !SESSION_ROUTES.includes(route));
const INVOCATION_ROUTES = [...OPEN].filter((route) => route.includes(" /invocations/"));

describe("isAllowedForRun", () => {
  const table: [request: string, isOpen: boolean][] = [
    ["GET /browsers", true],
    ["POST /browsers", true],
    ["HEAD /browsers", false],
    ["DELETE /browsers", false],
    ["DELETE /browsers/any", true],
    ["POST /browsers/any/computer/batch", true],
    ["POST /browsers_of_others/any", false],
    ["GET /invocations", false],
    ["POST /invocations", false],
    ["GET /invocations/own", true],
    ["PATCH /invocations/own", true],
    ["DELETE /invocations/own", false],
    ["GET /invocations/own/", false],
    ["GET /invocations/other", false],
    ["GET /invocations/own2", false],
    ["GET /invocations/own/events", true],
    ["POST /invocations/own/events", false],
    ["GET /invocations/other/events", false],
    ["GET /invocations/own/browsers", true],
    ["DELETE /invocations/own/browsers", true],
    ["DELETE /invocations/other/browsers", false],
    ["GET /invocations/own/unknown", false],
    ["GET /browser_pools", false],
    ["GET /org/limits", false],
    ["GET /constructor", false],
    ["GET /", false],
  ];

  it.each(table)("returns for %s: %s", (request, isOpen) => {
    const [method = "", path = ""] = request.split(" ");
    expect(isAllowedForRun(method, path, "own")).toBe(isOpen);
  });
});

describe("a run key", () => {
  let run: WaitingRun;
  let other: WaitingRun;
  let sessions: Record<"of the organization" | "of another run", { id: string; name: string }>;
  beforeAll(async () => {
    const owner = await newClient();
    [run, other] = await Promise.all([startRun(owner), startRun(owner)]);
    const [ofOrganization, ofOther] = await Promise.all([
      owner.createSession({ name: "of-the-organization" }),
      other.client.createSession({ name: "of-another-run" }),
    ]);
    sessions = {
      "of the organization": { id: ofOrganization.session_id, name: "of-the-organization" },
      "of another run": { id: ofOther.session_id, name: "of-another-run" },
    };
  });

  it.each([...FORBIDDEN_ROUTES, "GET /unknown", "DELETE /browsers?persistent_id=any"])(
    "gets a 403 from %s",
    async (route) => {
      const answer = await run.client.call(...fillRoute(route, newIdentifier()), bodyOfRoute(route));
      expect(answer.status, answer.text).toBe(403);
      expect(answer.error).toMatchObject({
        code: "forbidden",
        message: expect.stringContaining("only to the invocation and its browser sessions"),
      });
    },
  );

  it.each(OPERATOR_ROUTES)("gets a 401 from %s", async (route) => {
    const answer = await run.client.call(...fillRoute(route, newIdentifier()), bodyOfRoute(route));
    expect(answer.status).toBe(401);
  });

  it.each(INVOCATION_ROUTES)(
    "gets a 403 from %s for any other invocation, existing or not",
    async (route) => {
      for (const id of [other.id, newIdentifier()]) {
        const answer = await run.client.call(...fillRoute(route, id), bodyOfRoute(route));
        expect(answer.status).toBe(403);
      }
      expect((await other.client.get(`/invocations/${other.id}`)).json).toMatchObject({ id: other.id });
    },
  );

  it.each(SESSION_ROUTES)("cannot reach other sessions with %s", async (route) => {
    const unknown = await run.client.call(...fillRoute(route, newIdentifier()), bodyOfRoute(route));
    expect([404, 501]).toContain(unknown.status);
    for (const [whose, { id, name }] of Object.entries(sessions)) {
      for (const idOrName of [id, name]) {
        const answer = await run.client.call(...fillRoute(route, idOrName), bodyOfRoute(route));
        expect(answer.status, whose).toBe(unknown.status);
        expect(answer.text, whose).toBe(unknown.text);
      }
    }
  });

  it("has not changed other sessions with these requests", async () => {
    for (const { id, name } of Object.values(sessions)) {
      expect(await readSessionRow(id)).toMatchObject({ state: "active", name, viewportWidth: 1920 });
    }
  });

  it("can make the same requests for its own session", async () => {
    // Streams end with their session.
    const routes = SESSION_ROUTES.filter((route) => !route.endsWith("/stream"));
    const ending = routes.filter((route) => /^DELETE [^/]*\/browsers\/:\w+$/.test(route));
    expect(ending).toHaveLength(1);
    const { session_id } = await run.client.createSession();
    for (const route of [...routes.filter((route) => !ending.includes(route)), ...ending]) {
      const answer = await run.client.call(...fillRoute(route, session_id), bodyOfRoute(route));
      expect([401, 403], route).not.toContain(answer.status);
      if (answer.status === 404) expect(answer.error.message, route).not.toContain("browser session");
    }
    expect((await run.client.delete(`/invocations/${run.id}/browsers`)).status).toBe(204);
  });

  it("can read its invocation, and list and end its sessions", async () => {
    const own = `/invocations/${run.id}`;
    const { session_id } = await run.client.createSession();
    expect((await run.client.get(own)).json).toMatchObject({ id: run.id });
    expect((await run.client.get(`${own}/browsers`)).json).toMatchObject({ browsers: [{ session_id }] });
    expect((await run.client.delete(`${own}/browsers`)).status).toBe(204);
    expect((await run.client.listSessions()).ids).toEqual([]);
  });
});

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { handoffSchema } from "../../../../src/features/sessions/handoff-schema.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import { Client, newClient } from "../../../api.ts";
import { useFakeBrowsers } from "../../../fakes/browser-binding.ts";
import { insertEndedRow } from "../../../records.ts";
import { bodyOfRoute, CALLER_ROUTES, fillRoute } from "../../../routes.ts";
import { deployApp } from "../../apps/deployed-app.ts";
import { insertInvocationRow } from "../../apps/invocations/invocations.ts";
import { createPool, endPoolsAfterAll } from "../../browser-pools/pools.ts";
import { uploadExtension } from "../../extensions/extensions.ts";
import { createProxy } from "../../proxies/proxies.ts";
import { insertReplayRow } from "../../recordings/recordings.ts";
import { insertDelivery } from "../../webhooks/webhooks.ts";
import { createKey, createProject } from "./projects.ts";

useFakeBrowsers();
endPoolsAfterAll();

const parameterSchema = z.object({ name: z.string(), in: z.string() });
interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  [key: string]: unknown;
}
const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        security: z.array(z.record(z.string(), z.unknown())).default([]),
        parameters: z.array(parameterSchema).default([]),
        requestBody: z.custom<Schema>().optional(),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), z.custom<Schema>()) }),
});

const document = (await new Client().get("/openapi.json")).read(documentSchema);

/** All operations that take an API key, such as `GET /browsers/:id`. */
const OPERATIONS = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { security }]) => security.some((scheme) => "apiKey" in scheme))
    .map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      route: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    })),
);

/** Operations that would end a resource come last, so that the others can find it. */
const ROUTES_WITH_IDS = OPERATIONS.map(({ route }) => route)
  .filter((route) => route.includes("/:"))
  .toSorted((left, right) => Number(left.startsWith("DELETE ")) - Number(right.startsWith("DELETE ")));

const PROJECT_KINDS = [
  "browsers",
  "browser_pools",
  "extensions",
  "profiles",
  "proxies",
  "deployments",
  "invocations",
];

const kindOf = (route: string) => /^\S+ \/((?:org\/)?\w+)/.exec(route)?.[1] ?? "";
const isOfProject = (route: string) => PROJECT_KINDS.includes(kindOf(route));

const NAME = "same-name";
const PERSISTENCE_ID = "same-persistence-id";
const SECRET = "https://secret-page.example/";

let first: Client;
let others: [who: string, caller: Client, isStranger: boolean][];
/** Ids by the name of the path parameter, or else by the first part of the path. The first one is alive. */
let ids: Record<string, string[]>;
let texts: string[];
let appName: string;

beforeAll(async () => {
  const client = await newClient();
  const { organizationId } = client;
  const { id: projectId } = await createProject(client);
  const { id: second } = await createProject(client);
  first = client.inProject(projectId);
  const app = await deployApp(client, { act: "return null" });
  appName = app.name;
  const session = (
    await first.createSession({
      name: NAME,
      timeout_seconds: 3600,
      persistence: { id: PERSISTENCE_ID },
      tags: { of: "first" },
    })
  ).session_id;
  const ended = (await insertEndedRow({ organizationId, projectId })).id;
  const removed = newIdentifier();
  const recordings = await Promise.all(
    [session, ended, removed].map((sessionId) =>
      insertReplayRow(
        { organizationId, projectId, sessionId, chapters: [{ time: 0, url: SECRET, title: SECRET }] },
        [SECRET],
      ),
    ),
  );
  const handoff = await first.post(`/browsers/${session}/handoffs`, { instructions: "any" });
  const spawned = await first.post(`/browsers/${session}/process/spawn`, {
    command: "sleep",
    args: ["3600"],
  });
  const watch = await first.post(`/browsers/${session}/fs/watch`, { path: "/tmp" });
  const extension = (await uploadExtension(client)).id;
  const invocation = await insertInvocationRow({ organizationId, projectId });
  for (const [table, id] of [
    ["extensions", extension],
    ["deployments", app.deploymentId],
    ["apps", app.id],
  ]) {
    await env.DB.prepare(`UPDATE ${table} SET project_id = ? WHERE id = ?`).bind(projectId, id).run();
  }
  const idSchema = z.looseObject({ id: z.string() });
  const create = async (path: string, body: object) =>
    idSchema.parse((await client.post(path, body)).json).id;
  const webhook = await create("/org/webhooks", {
    url: "https://r.example/",
    event_types: ["session.created"],
  });
  const delivery = newIdentifier();
  await insertDelivery(webhook, { id: delivery, body: SECRET, state: "failed", endedAt: Date.now() });
  ids = {
    browsers: [session, ended, removed],
    browser_pools: [(await createPool(first, { size: 1, name: NAME })).id],
    extensions: [extension],
    profiles: [idSchema.parse((await first.post("/profiles", { name: NAME })).json).id],
    proxies: [(await createProxy(first, { type: "isp", name: NAME })).id],
    deployments: [app.deploymentId],
    invocations: [invocation.id],
    "org/api_keys": [(await createKey(client)).keyId],
    "org/projects": [projectId],
    "org/webhooks": [webhook],
    delivery_id: [delivery],
    "org/otlp_destinations": [
      await create("/org/otlp_destinations", { name: NAME, endpoint: "https://otlp.example/" }),
    ],
    replay_id: recordings.map(({ id }) => id),
    handoff_id: [handoffSchema.parse(handoff.json).handoff_id],
    processId: [z.object({ process_id: z.string() }).parse(spawned.json).process_id],
    watchId: [z.object({ watch_id: z.string() }).parse(watch.json).watch_id],
  };
  texts = [SECRET, ...Object.values(ids).flatMap(([id = ""]) => id)];
  others = [
    ["the default project", client, false],
    ["another project", client.inProject(second), false],
    ["a key of another project", await createKey(client, { project_id: second }), false],
    ["another organization", await newClient(), true],
  ];
});

/** What is kept after a session has ended. */
const KEPT = /^GET .*\/(replays|telemetry|evidence)\b/;

/** All paths that name the first project's resources. @throws for a route or parameter without one. */
function pathsOf(route: string): string[] {
  const resources = ids[kindOf(route)];
  if (resources === undefined) throw new Error(`Create a resource for ${route} in this test`);
  const takesName =
    /^\S+ \/browsers\/|^\S+ [^:]+\/:id_or_name/.test(route) && !kindOf(route).startsWith("org/");
  const named = takesName ? [NAME] : [];
  return [...(KEPT.test(route) ? resources : resources.slice(0, 1)), ...named].map((id, index) => {
    const [, path] = fillRoute(route, ":");
    const [, ...parameters] = [...route.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
    const nested = parameters.map((name) => {
      const of = ids[name];
      if (of === undefined) throw new Error(`Create a resource for ${name} of ${route} in this test`);
      return of[id === NAME ? 0 : index] ?? "";
    });
    return [id, ...nested].reduce((filled, value) => filled.replace("/:", `/${value}`), path);
  });
}

/** The rows of the first project. */
async function rows(): Promise<unknown> {
  const statements = [
    "SELECT id, state, name, project_id, url_generation FROM browser_sessions WHERE id = ?",
    "SELECT id, name, project_id FROM browser_pools WHERE id = ?",
    "SELECT * FROM profiles WHERE id = ?",
    "SELECT * FROM proxies WHERE id = ?",
    "SELECT * FROM extensions WHERE id = ?",
    "SELECT * FROM deployments WHERE id = ?",
    "SELECT * FROM invocations WHERE id = ?",
    "SELECT * FROM webhooks WHERE id = ?",
    "SELECT * FROM webhook_deliveries WHERE id = ?",
    "SELECT id, name, deleted_at FROM api_keys WHERE id = ?",
    "SELECT * FROM projects WHERE id = ?",
    "SELECT * FROM otlp_destinations WHERE id = ?",
    "SELECT * FROM replays WHERE id = ?",
  ];
  const all = Object.values(ids).flat();
  return Promise.all(
    statements.map(async (statement) => {
      const answers = await env.DB.batch(all.map((id) => env.DB.prepare(statement).bind(id)));
      return answers.flatMap(({ results }) => results);
    }),
  );
}

let before: unknown;
beforeAll(async () => {
  before = await rows();
});

describe("ids of another project or organization", () => {
  it("are tried at all routes", () => {
    expect(CALLER_ROUTES).toEqual(expect.arrayContaining(OPERATIONS.map(({ route }) => route)));
    expect(ROUTES_WITH_IDS.length).toBeGreaterThan(90);
  });

  it.each(ROUTES_WITH_IDS)("are unknown to %s", async (route) => {
    const method = route.split(" ")[0] ?? "";
    const calls = pathsOf(route).flatMap((path) =>
      others
        // Organization-wide resources belong to all of its projects.
        .filter(([, , isStranger]) => isOfProject(route) || isStranger)
        .map(async ([who, caller]) => {
          const answer = await caller.call(method, path, bodyOfRoute(route));
          expect(answer.status, `${who}: ${path}: ${answer.text.slice(0, 300)}`).toBe(404);
          expect(texts.filter((text) => answer.text.includes(text))).toEqual([]);
        }),
    );
    await Promise.all(calls);
  });

  const FILTERS: Record<string, () => string | undefined> = {
    name: () => NAME,
    query: () => NAME,
    persistent_id: () => PERSISTENCE_ID,
    invocation_id: () => ids.invocations?.[0],
    pool_id: () => ids.browser_pools?.[0],
    proxy_id: () => ids.proxies?.[0],
    profile_id: () => ids.profiles?.[0],
    api_key_id: () => first.keyId,
    deployment_id: () => ids.deployments?.[0],
    app_name: () => appName,
    action_name: () => "act",
    tags: () => "first",
    search: () => ids.browsers?.[0],
    search_user_id: () => first.keyId,
  };
  const NO_FILTERS = new Set([
    ...["limit", "offset", "page_token", "cursor", "sort_by", "sort_direction", "group_by", "format"],
    ...["start", "end", "from", "to", "day", "after", "since", "until"],
    ...["status", "include_deleted", "version", "app_version", "tag"],
    ...["auth_strategy", "service", "method", "exclude_method", "exclude_console_reads"],
  ]);
  const WITHOUT_IDS = OPERATIONS.filter(({ route }) => !route.includes("/:"));

  it.each(WITHOUT_IDS.filter(({ method }) => method !== "POST" && method !== "PATCH"))(
    "in the query of $route find nothing",
    async ({ method, path, parameters, route }) => {
      for (const { name } of parameters.filter((parameter) => parameter.in === "query")) {
        if (NO_FILTERS.has(name)) continue;
        const value = FILTERS[name]?.();
        if (value === undefined) throw new Error(`Give a value for ${name} of ${route} in this test`);
        const query = name === "tags" ? `tags[of]=${value}` : `${name}=${value}`;
        for (const [who, caller, isStranger] of others) {
          if (/^\/(org|audit-logs)/.test(path) && !isStranger) continue;
          const response = await caller.open(method, `${path}?${query}&limit=20`);
          const reader = response.body?.getReader();
          const text = new TextDecoder().decode((await reader?.read())?.value);
          await reader?.cancel();
          expect(
            texts.filter((each) => text.includes(each)),
            `${who}: ${query}: ${text.slice(0, 300)}`,
          ).toEqual([]);
        }
      }
    },
  );

  /** Fields of bodies that name a resource, each as a body that is refused; or what they name instead. */
  const REFERENCES: Record<string, (() => object) | string> = {
    "profile.id": () => ({ profile: { id: ids.profiles?.[0] } }),
    "profile.name": () => ({ profile: { name: NAME } }),
    proxy_id: () => ({ proxy_id: ids.proxies?.[0] }),
    "extensions.id": () => ({ extensions: [{ id: ids.extensions?.[0] }] }),
    "extensions.name": () => ({ extensions: [{ name: NAME }] }),
    invocation_id: () => ({ invocation_id: ids.invocations?.[0] }),
    project_id: () => ({ project_id: ids["org/projects"]?.[0] }),
    "telemetry.export.otlp.destination.id": () => ({
      telemetry: { export: { otlp: { destination: { id: ids["org/otlp_destinations"]?.[0] } } } },
    }),
    "telemetry.export.otlp.destination.name": () => ({
      telemetry: { export: { otlp: { destination: { name: NAME } } } },
    }),
    session_id: "a session that was acquired from the pool of the path",
    name: "the new resource",
    "persistence.id": "a new session, by project",
    "config.username": "the account of a proxy",
    app_name: "an app; below",
    action_name: "an action of the app",
    key_name: "a new key",
    profiles: "names of profiles that an app may use, by project",
    "profiles.name": "names of profiles that an app may use, by project",
  };

  const routesWithBodies = OPERATIONS.flatMap(({ route, requestBody }) => {
    const fields = requestBody === undefined ? [] : fieldsOf(requestBody);
    return fields.length === 0 ? [] : [{ route, fields }];
  });

  it.each(routesWithBodies)("in the body of $route are refused", async ({ route, fields }) => {
    for (const field of fields) {
      const reference = REFERENCES[field];
      if (reference === undefined) throw new Error(`Say what ${field} of ${route} names in this test`);
      if (typeof reference === "string" || !route.startsWith("POST ") || route.includes("/:")) continue;
      for (const [who, caller, isStranger] of others) {
        if (/project_id|telemetry/.test(field) && !isStranger) continue;
        const path = route.split(" ")[1] ?? "";
        const answer = await caller.post(path, { name: "new", size: 1, ...reference() });
        expect([400, 403, 404], `${who}: ${field}: ${answer.text}`).toContain(answer.status);
      }
    }
  });

  it("start no run of an app", async () => {
    for (const [who, caller] of others) {
      const body = { app_name: appName, version: "1", action_name: "act" };
      expect((await caller.post("/invocations", body)).status, who).toBe(400);
    }
  });

  it("had no effect", async () => {
    expect(await rows()).toEqual(before);
  });

  it.each(ROUTES_WITH_IDS.filter((route) => route.startsWith("GET ")))(
    "are known to their own project at %s",
    async (route) => {
      const path = pathsOf(route)[0] ?? "";
      // The handoff is pending.
      const wait = route.endsWith("/:handoff_id") ? "?wait_seconds=0" : "";
      const response = await first.open("GET", `${path}${wait}`);
      const text = response.status === 200 ? "" : await response.text();
      if (response.status === 200) await response.body?.cancel();
      // The session has not ended and shows nothing, and the profile and the proxy are empty.
      const mayBeMissing = /screenshot|thumbnail|contents|download|checks/.test(route);
      expect(response.status === 200 || mayBeMissing, `${path}: ${response.status} ${text}`).toBe(true);
    },
  );
});

/** A body's fields that may name a resource, also in nested objects and lists, such as `profile.id`. */
function fieldsOf(value: unknown, place = "", depth = 0): string[] {
  if (typeof value !== "object" || value === null || depth > 16) return [];
  const { $ref, properties, ...rest } = z.custom<Schema>().parse(value);
  if ($ref !== undefined) {
    return fieldsOf(document.components.schemas[$ref.split("/").at(-1) ?? ""], place, depth + 1);
  }
  const own = Object.entries(properties ?? {}).flatMap(([name, schema]) => [
    ...(/(^|_)(ids?|names?)$|^(username|profiles)$/.test(name) ? [place + name] : []),
    ...fieldsOf(schema, `${place}${name}.`, depth + 1),
  ]);
  const nested = Object.values(rest).flatMap((each) => fieldsOf(each, place, depth + 1));
  return [...new Set([...own, ...nested])];
}

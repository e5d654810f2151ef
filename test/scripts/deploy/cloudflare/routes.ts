import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { Answer } from "./stand-in.ts";
import type { AccountState, WorkerState } from "./state.ts";
import { readForm, readUpload, type Upload } from "./upload-form.ts";

export interface ApiRequest {
  body: Buffer;
  headers: IncomingHttpHeaders;
  query: URLSearchParams;
}

type Handler = (state: AccountState, request: ApiRequest, ...parts: string[]) => Answer | Promise<Answer>;

const error = (status: number, code: number, message: string): Answer => ({ status, code, message });

/** In the words of Cloudflare as the given page or issue quotes them. */
export const REFUSALS = {
  // https://developers.cloudflare.com/workers/observability/errors/ and wrangler's worker-not-found-error.ts
  noWorker: error(404, 10_007, "This Worker does not exist on your account."),
  // wrangler's worker-not-found-error.ts
  noService: error(404, 10_090, "This service does not exist on your account."),
  // https://github.com/cloudflare/workers-sdk/issues/4572
  noSubdomain: error(404, 10_007, "This account does not have a workers.dev subdomain."),
  // https://developers.cloudflare.com/r2/api/error-codes/
  noBucket: error(404, 10_006, "The specified bucket does not exist."),
  bucketExists: error(409, 10_004, "The bucket you tried to create already exists, and you own it."),
  bucketNotEmpty: error(409, 10_008, "The bucket you tried to delete is not empty."),
  noR2: error(403, 10_042, "Please enable R2 through the Cloudflare Dashboard."),
  // wrangler's d1/create.ts
  databaseExists: error(400, 7502, "A database with that name already exists"),
  tooManyDatabases: error(400, 7406, "Limit of databases reached for this account."),
  // https://github.com/cloudflare/workers-sdk/issues/15194
  tooManySchedules: error(
    400,
    10_072,
    "This account has reached the Workers Free limit of 5 cron triggers per account.",
  ),
  noDatabase: error(404, 7404, "The database could not be found"),
  notReadable: error(403, 9109, "Unauthorized to access requested resource"),
  // https://developers.cloudflare.com/fundamentals/api/troubleshooting/
  notAllowed: error(403, 10_000, "Authentication error"),
} as const;

const queryBodySchema = z.object({ sql: z.string(), params: z.array(z.unknown()).max(0).optional() });
const nameSchema = z.looseObject({ name: z.string() });
const schedulesSchema = z.array(z.object({ cron: z.string() }));
const manifestSchema = z.object({ manifest: z.record(z.string(), z.object({ hash: z.string() })) });

const parse = <T>(schema: z.ZodType<T>, { body }: ApiRequest): T => schema.parse(JSON.parse(body.toString()));

/** Calls by method and path; a `*` matches one part, which the handler gets. */
const ROUTES: Readonly<Record<string, Handler>> = {
  "GET /accounts": ({ options }) => ({ result: options.accounts }),

  // Wrangler asks for these after an authentication error.
  "GET /user/tokens/verify": () => ({ result: { status: "active" } }),
  "GET /user": () => REFUSALS.notReadable,
  "GET /memberships": () => REFUSALS.notReadable,

  "GET /d1/database": ({ databases }, { query }) => ({
    result: [...databases]
      .filter(([name]) => name.includes(query.get("name") ?? ""))
      .map(([name, uuid]) => ({ name, uuid, version: "production" })),
  }),
  "POST /d1/database": async (state, request) => {
    const { name } = parse(nameSchema, request);
    if (state.databases.has(name)) return REFUSALS.databaseExists;
    if (state.databases.size >= state.options.maxDatabases) return REFUSALS.tooManyDatabases;
    return { result: { name, uuid: await state.createDatabase(name) } };
  },
  "DELETE /d1/database/*": (state, _, id = "") => {
    const name = nameOf(state, id);
    if (name === undefined) return REFUSALS.noDatabase;
    state.deleteDatabase(name);
    return { result: null };
  },
  "POST /d1/database/*/query": (state, request, id = "") => {
    if (nameOf(state, id) === undefined) return REFUSALS.noDatabase;
    const { sql } = parse(queryBodySchema, request);
    try {
      const results = state.query(id, sql);
      return { result: results.map((rows) => ({ results: rows, success: true, meta: { duration: 0.1 } })) };
    } catch (reason) {
      return error(400, 7500, `${reason}`);
    }
  },

  "GET /r2/buckets/*": ({ options, buckets }, _, name = "") => {
    if (!options.hasR2) return REFUSALS.noR2;
    return buckets.has(name) ? { result: { name, creation_date: "" } } : REFUSALS.noBucket;
  },
  "POST /r2/buckets": (state, request) => {
    const { name } = parse(nameSchema, request);
    if (!state.options.hasR2) return REFUSALS.noR2;
    if (state.buckets.has(name)) return REFUSALS.bucketExists;
    state.createBucket(name);
    return { result: { name } };
  },
  "DELETE /r2/buckets/*": async (state, _, name = "") => {
    if (!state.buckets.has(name)) return REFUSALS.noBucket;
    const { objects } = await state.useStorage("unused", ({ FILES }) => FILES.list());
    if (objects.length > 0) return REFUSALS.bucketNotEmpty;
    state.buckets.delete(name);
    return { result: {} };
  },

  "GET /browser-rendering/devtools/session": ({ options }) =>
    options.hasBrowsers ? { result: [] } : REFUSALS.notAllowed,

  "GET /workers/subdomain": ({ options: { subdomain } }) =>
    subdomain === null ? REFUSALS.noSubdomain : { result: { subdomain } },
  "GET /workers/services/*": ({ workers }, _, name = "") => {
    const worker = workers.get(name);
    if (worker === undefined) return REFUSALS.noService;
    const script = { last_deployed_from: "wrangler", tag: null, migration_tag: worker.migrationTag };
    return { result: { id: name, default_environment: { environment: "production", script } } };
  },
  "GET /workers/scripts": ({ workers }) => ({
    result: [...workers].map(([id, { migrationTag }]) => ({ id, migration_tag: migrationTag })),
  }),
  "PUT /workers/scripts/*": withUpload(store),
  "DELETE /workers/scripts/*": ({ workers }, _, name = "") =>
    workers.delete(name) ? { result: null } : REFUSALS.noWorker,
  "GET /workers/scripts/*/secrets": withWorker(({ secrets }) => ({
    result: Object.keys(secrets).map((name) => ({ name, type: "secret_text" })),
  })),
  "GET /workers/scripts/*/deployments": withWorker(() => ({
    result: {
      deployments: [{ id: "d", source: "wrangler", versions: [{ version_id: "v", percentage: 100 }] }],
    },
  })),
  "POST /workers/scripts/*/versions": withUpload(({ workers }, name, version) => {
    const worker = workers.get(name);
    if (worker === undefined) return REFUSALS.noWorker;
    worker.version = version;
    return { result: { id: "v2", startup_time_ms: 345, resources: { script: { etag: "e" } } } };
  }),
  "POST /workers/scripts/*/deployments": (state, _, name = "") => {
    const version = state.workers.get(name)?.version;
    return version === undefined ? REFUSALS.noWorker : store(state, name, version);
  },
  "GET /workers/scripts/*/settings": withWorker(({ bindings }) => ({ result: { bindings } })),
  "PATCH /workers/scripts/*/script-settings": withWorker(() => ({ result: {} })),
  "GET /workers/workers/*": withWorker((worker) => ({ result: { subdomain: subdomainOf(worker) } })),
  "GET /workers/scripts/*/subdomain": withWorker((worker) => ({ result: subdomainOf(worker) })),
  "POST /workers/scripts/*/subdomain": withWorker((worker) => {
    worker.hasSubdomain = true;
    return { result: subdomainOf(worker) };
  }),
  "PUT /workers/scripts/*/schedules": withWorker((worker, request, { maxSchedules }) => {
    if (maxSchedules === 0) return REFUSALS.tooManySchedules;
    worker.schedules = parse(schedulesSchema, request).map(({ cron }) => cron);
    return { result: { schedules: worker.schedules } };
  }),

  "POST /workers/scripts/*/assets-upload-session": ({ assets }, request) => {
    const { manifest } = parse(manifestSchema, request);
    const missing = Object.values(manifest)
      .map(({ hash }) => hash)
      .filter((hash) => !assets.has(hash));
    return { result: { jwt: jwtOf({ missing }), buckets: missing.length === 0 ? [] : [missing] } };
  },
  // Its token is the one of the upload session.
  "POST /workers/assets/upload": async ({ assets }, { body, headers }) => {
    const files = await readForm(body, headers["content-type"]);
    for (const hash of files.keys()) assets.add(hash);
    return { result: { jwt: jwtOf({ complete: true }) } };
  },

  // Remote bindings run in a preview, which is no Worker of the account.
  "GET /workers/subdomain/edge-preview": () => ({ result: { token: "preview-session" } }),
  "POST /workers/scripts/*/edge-preview": withUpload(async (state, _, { script, metadata }) => {
    await state.startPreview(script, metadata.bindings);
    return { result: { preview_token: "preview" } };
  }),
};

/** @param path below the API's base URL. @returns a route's key and answer; undefined for unknown calls. */
export function findRoute(method: string, path: string) {
  const known = `${method} ${path.replace(/^\/accounts\/[^/]+/, "")}`;
  for (const [call, handler] of Object.entries(ROUTES)) {
    const match = new RegExp(`^${call.replaceAll("*", "([^/]+)")}$`).exec(known);
    if (match === null) continue;
    const answer = (state: AccountState, request: ApiRequest) =>
      known.includes(` /${state.options.refused}/`)
        ? REFUSALS.notAllowed
        : handler(state, request, ...match.slice(1));
    return { call, answer };
  }
  return undefined;
}

function withUpload(
  handle: (state: AccountState, name: string, upload: Upload) => Answer | Promise<Answer>,
): Handler {
  return async (state, { body, headers }, name = "") => {
    const upload = await readUpload(body, headers["content-type"]);
    return checkUpload(state, upload) ?? (await handle(state, name, upload));
  };
}

function withWorker(
  handle: (worker: WorkerState, request: ApiRequest, options: AccountState["options"]) => Answer,
): Handler {
  return ({ workers, options }, request, name = "") => {
    const worker = workers.get(name);
    return worker === undefined ? REFUSALS.noWorker : handle(worker, request, options);
  };
}

const subdomainOf = ({ hasSubdomain }: WorkerState) => ({ enabled: hasSubdomain, previews_enabled: false });

function nameOf({ databases }: AccountState, id: string): string | undefined {
  return [...databases].find(([, known]) => known === id)?.[0];
}

/** @returns the refusal of a Worker whose database or bucket does not exist. */
function checkUpload(state: AccountState, { metadata }: Upload): Answer | undefined {
  for (const { name, type, id = "", bucket_name = "" } of metadata.bindings) {
    // https://developers.cloudflare.com/workers/observability/errors/
    if (type === "d1" && nameOf(state, id) === undefined)
      return error(400, 10_181, `D1 binding '${name}' references database '${id}' which was not found.`);
    if (type === "r2_bucket" && !state.buckets.has(bucket_name))
      return error(400, 10_085, `R2 bucket '${bucket_name}' not found.`);
  }
  return undefined;
}

function store(state: AccountState, name: string, { script, metadata }: Upload): Answer {
  const before = state.workers.get(name);
  const { bindings, migrations, keep_bindings } = metadata;
  // https://developers.cloudflare.com/durable-objects/reference/durable-objects-migrations/
  if (migrations !== undefined && migrations.old_tag !== before?.migrationTag)
    return error(
      412,
      10_079,
      `migration tag precondition failed; expected tag '${migrations.old_tag ?? ""}'`,
    );
  const given = bindings
    .filter(({ type }) => type === "secret_text")
    .map((secret) => [secret.name, secret.text ?? ""]);
  const kept = keep_bindings.includes("secret_text") ? before?.secrets : {};
  if (before === undefined) state.created.push(`Worker ${name}`);
  state.workers.set(name, {
    script,
    bindings,
    secrets: { ...kept, ...Object.fromEntries(given) },
    migrationTag: migrations?.new_tag ?? before?.migrationTag,
    schedules: before?.schedules ?? [],
    hasSubdomain: before?.hasSubdomain ?? false,
  });
  const hash = createHash("sha256").update(script).digest("hex");
  return {
    result: { id: name, etag: hash, startup_time_ms: 345, has_assets: true, entry_point: "index.js" },
  };
}

function jwtOf(payload: object): string {
  return `e30.${Buffer.from(JSON.stringify({ ...payload, exp: 4_102_444_800 })).toString("base64url")}.signature`;
}

import { z } from "@hono/zod-openapi";
import { type AcquireBody, acquireBodySchema } from "../browser-pools/index.ts";
import { badRequest, ServiceError } from "../common/errors.ts";
import { toProblem } from "../http/issue-messages.ts";
import { type CreateSessionBody, createSessionBodySchema } from "../sessions/index.ts";
import { type Dialect, type Fields, requireKnown, WEAK_PARAMETERS } from "./dialects.ts";
import { KEY_PARAMETERS } from "./key.ts";

/** What a connect URL asks for. */
export type ConnectRequest =
  | { kind: "existing"; sessionId: string }
  | { kind: "pool"; pool: string; body: AcquireBody }
  | { kind: "session"; body: CreateSessionBody; isKept: boolean; maxLifetimeMs: number | undefined };

const ownFieldsSchema = z.object({
  session_id: z.string().min(1, "must not be empty").optional(),
  pool: z.string().min(1, "must not be empty").optional(),
  save_changes: z.boolean().optional(),
  max_lifetime_ms: z.int().min(1000).max(259_200_000).optional(),
});

/** The query of a connect URL, as fields with the names of their parameters. */
export class ConnectQuery {
  readonly #names = new Map<string, string>();
  readonly #fields: Fields = {};
  /** Whether the session is to outlive its connection. */
  readonly #isKept: boolean;

  /** @throws ServiceError 400 for a parameter that is unknown, malformed, or given twice. */
  constructor(query: URLSearchParams, dialect: Dialect) {
    this.#isKept = query.has("keep_alive");
    const isWeak = ([name]: [string, string]) => WEAK_PARAMETERS.includes(name);
    const entries = [...query].filter(
      ([name]) => !KEY_PARAMETERS.includes(name) && !dialect.ignored.test(name),
    );
    for (const [name, text] of entries.filter((entry) => !isWeak(entry))) this.#add(name, text, dialect);
    for (const [name, text] of entries.filter(isWeak)) this.#add(name, text, dialect);
  }

  /** @throws ServiceError 400 on the parameters that are invalid, or that contradict each other. */
  read(): ConnectRequest {
    const { pool, session_id, save_changes, max_lifetime_ms } = this.#validate(ownFieldsSchema, this.#fields);
    if (session_id !== undefined) return { kind: "existing", sessionId: session_id };
    const fields = withTags(this.#fields);
    if (save_changes !== undefined) {
      if (fields.profile === undefined) throw this.#refuse("save_changes", "requires a profile");
      fields.profile = { ...Object(fields.profile), save_changes };
    }
    if (pool === undefined) {
      const body = this.#validate(createSessionBodySchema, { viewport_mode: "any", ...fields });
      return { kind: "session", body, isKept: this.#isKept, maxLifetimeMs: max_lifetime_ms };
    }
    for (const field of Object.keys(fields)) {
      if (field !== "pool" && !(field in acquireBodySchema.shape)) {
        throw this.#refuse(field, "cannot be used with pool, which has browsers of its own configuration");
      }
    }
    return { kind: "pool", pool, body: this.#validate(acquireBodySchema, fields) };
  }

  /** Names the parameters instead of the fields in the problems of a 400. */
  rename(error: unknown): unknown {
    if (!(error instanceof ServiceError) || error.code !== "bad_request") return error;
    return badRequest(
      ...error.problems.map(({ field, message }) => {
        const [first = "", ...rest] = field.split(".");
        return { field: [this.#names.get(first) ?? first, ...rest].join("."), message };
      }),
    );
  }

  #add(name: string, text: string, { parameters }: Dialect): void {
    const isTag = /^tags\../.test(name);
    const read = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    requireKnown(isTag || read !== undefined, name);
    const fields = read?.(text, name) ?? { [name]: text };
    const isObject = name === "options" || name === "launch";
    for (const [field, value] of Object.entries(fields)) {
      const other = this.#names.get(field);
      const label = isObject ? `${name}.${field}` : name;
      if (other !== undefined && WEAK_PARAMETERS.includes(name)) continue;
      if (other !== undefined) throw badRequest({ field: label, message: `is already given by ${other}` });
      this.#names.set(field, label);
      this.#fields[field] = value;
    }
  }

  #validate<S extends z.ZodType>(schema: S, fields: Fields): z.infer<S> {
    const parsed = schema.safeParse(fields);
    if (parsed.success) return parsed.data;
    throw this.rename(badRequest(...parsed.error.issues.map(toProblem)));
  }

  #refuse(field: string, message: string): unknown {
    return this.rename(badRequest({ field, message }));
  }
}

/** Collects the fields `tags.x` in one. */
function withTags(fields: Fields): Fields {
  const single = Object.entries(fields).filter(([field]) => field.startsWith("tags."));
  if (single.length === 0) return { ...fields };
  if (fields.tags !== undefined) {
    throw badRequest({ field: single[0]?.[0] ?? "tags", message: "is already given by options.tags" });
  }
  const others = Object.entries(fields).filter(([field]) => !field.startsWith("tags."));
  return {
    ...Object.fromEntries(others),
    tags: Object.fromEntries(single.map(([field, value]) => [field.slice(5), value])),
  };
}

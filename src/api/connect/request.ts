import { z } from "@hono/zod-openapi";
import { lookUp } from "durable-machine/look-up";
import { type AcquireBody, acquireBodySchema } from "../../features/browser-pools/index.ts";
import { type CreateSessionBody, createSessionBodySchema } from "../../features/sessions/index.ts";
import { badRequest, ServiceError } from "../../lib/common/errors.ts";
import { toProblem } from "../../lib/http/issue-messages.ts";
import { type Dialect, type Fields, requireKnown, TAG, WEAK } from "./dialects.ts";
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
    // Last, because it yields to the others.
    const entries = [...query].sort(([first], [second]) => Number(first === WEAK) - Number(second === WEAK));
    for (const [name, text] of entries) {
      if (!KEY_PARAMETERS.includes(name) && !dialect.ignored.test(name)) this.#add(name, text, dialect);
    }
  }

  /** @throws ServiceError 400 on fields that are invalid or contradict each other; see {@link rename}. */
  read(): ConnectRequest {
    const { pool, session_id, save_changes, max_lifetime_ms } = validate(ownFieldsSchema, this.#fields);
    if (session_id !== undefined) return { kind: "existing", sessionId: session_id };
    const fields = { ...this.#fields };
    if (save_changes !== undefined) {
      const problem = { field: "save_changes", message: "requires a profile" };
      if (fields.profile === undefined) throw badRequest(problem);
      fields.profile = { ...Object(fields.profile), save_changes };
    }
    if (pool === undefined) {
      const body = validate(createSessionBodySchema, { viewport_mode: "any", ...fields });
      return { kind: "session", body, isKept: this.#isKept, maxLifetimeMs: max_lifetime_ms };
    }
    for (const field of Object.keys(fields)) {
      if (field !== "pool" && !(field in acquireBodySchema.shape)) {
        throw badRequest({ field, message: "cannot be used with pool" });
      }
    }
    return { kind: "pool", pool, body: validate(acquireBodySchema, fields) };
  }

  /** Names the parameters instead of the fields in the problems of a 400. */
  rename(error: unknown): unknown {
    if (!(error instanceof ServiceError) || error.code !== "bad_request") return error;
    return badRequest(
      ...error.problems.map(({ field, message }) => {
        const [first = "", ...rest] = field.split(".");
        const name = this.#names.get(field) ?? [this.#names.get(first) ?? first, ...rest].join(".");
        return { field: name, message };
      }),
    );
  }

  #add(name: string, text: string, { parameters }: Dialect): void {
    const read = lookUp(parameters, name);
    requireKnown(read !== undefined || name.startsWith(TAG), name);
    for (const [field, value] of Object.entries(read?.(text, name) ?? { [name]: text })) {
      const label = name === "options" || name === WEAK ? `${name}.${field}` : name;
      const other = this.#names.get(field);
      if (other !== undefined && name === WEAK) continue;
      if (other !== undefined) throw badRequest({ field: label, message: `is already given by ${other}` });
      this.#names.set(field, label);
      if (!field.startsWith(TAG)) this.#fields[field] = value;
      else this.#fields.tags = { ...Object(this.#fields.tags), [field.slice(TAG.length)]: value };
    }
  }
}

function validate<S extends z.ZodType>(schema: S, fields: Fields): z.infer<S> {
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data;
  throw badRequest(...parsed.error.issues.map(toProblem));
}

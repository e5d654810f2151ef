import { z } from "@hono/zod-openapi";
import { countOf, flagOf, textOf } from "../../lib/http/fields.ts";
import { queryBoolean, queryInteger } from "../../lib/http/pagination.ts";
import { queryTime } from "../../lib/http/parse-since.ts";

const MAX_SEARCH_MS = 30 * 86_400_000;

/** An entry, and a line of an export. */
export const auditLogEntrySchema = z
  .object({
    event_id: textOf("Id of the entry.", "e5w0m3q9x7c2v5b8n1k4j6hq"),
    timestamp: textOf("When the request arrived.", "2026-01-02T15:04:05.123Z"),
    method: textOf("HTTP method.", "DELETE"),
    path: textOf("Path without the query. Anything that looks like a token is replaced.", "/browsers/mine"),
    route: textOf("Pattern of the route, or `unmatched`.", "/browsers/:id_or_name"),
    domain: textOf("Host of the request.", "berth.example.com"),
    service: z
      .enum(["api", "mcp", "cdp", "webdriver", "live_view", "replays"])
      .openapi({ description: "The part of the service that was called.", example: "api" }),
    status: countOf("HTTP status of the answer.", 204),
    duration_ms: countOf("Milliseconds until the answer began.", 12),
    auth_strategy: z
      .enum(["api_key", "invocation_key", "console_session", "signed_url"])
      .describe("How the caller was authenticated. `signed_url`: by a URL of a session."),
    user_id: textOf("Id of the API key or invocation; empty for `signed_url`.", "k4j6h0gdw0m3q9x7c2v5b8n1"),
    email: textOf("Empty: there are no users."),
    client_ip: textOf(
      "Address of the client; `invocation:` and its id for calls by an app; empty for calls by the service itself.",
      "203.0.113.7",
    ),
    user_agent: textOf("User agent, truncated to 256 characters.", "Kernel/JS 0.84.0"),
    sequence: countOf("Number of the entry in the organization's log, which has no gaps.", 4711),
    hash: textOf(
      "SHA-256 of the previous entry's hash, a line break, and the line of this entry without `hash`.",
    ),
  })
  .openapi("AuditLogEntry");

export type AuditLogEntry = z.infer<typeof auditLogEntrySchema>;

const list = (description: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .default([])
    .transform((given) => [given].flat().join().split(",").filter(Boolean))
    .openapi({ type: "array", items: { type: "string" }, description, param: { required: false } });

/** Points to the entry with this number; it always refers to the log of the caller's organization. */
const position = (description: string) =>
  queryInteger({ minimum: 1, default: Number.MAX_SAFE_INTEGER, description });

const maximum = (most: number, description: string) =>
  queryInteger({ minimum: 1, maximum: most, default: most, description });

/** Which entries a caller wants. Times are milliseconds since the epoch. */
const filterSchema = z
  .object({
    start: queryTime("Earliest time, inclusive."),
    end: queryTime("End of the time range, exclusive."),
    auth_strategy: textOf("Only calls that were authenticated like this.").optional(),
    service: textOf("Only calls of this part of the service.").optional(),
    method: textOf("Only calls with this HTTP method.").optional(),
    exclude_method: list("No calls with these HTTP methods."),
    exclude_console_reads: queryBoolean({ default: false, description: "No GET calls by the console." }),
    search: textOf(
      "Only calls with this in their path, user id, email, client address or status.",
    ).optional(),
    search_user_id: list("Also calls by these user ids, which `search` need not find."),
  })
  .refine(({ start, end }) => start < end, { path: ["end"], message: "must be after start" });

export type EntryFilter = z.infer<typeof filterSchema>;

export const listQuerySchema = filterSchema
  .safeExtend({
    limit: maximum(100, "Maximum number of entries."),
    page_token: position("X-Next-Page-Token of the previous page."),
  })
  .refine(({ start, end }) => end - start <= MAX_SEARCH_MS, {
    path: ["end"],
    message: "must be at most 30 days after start",
  });

export const exportQuerySchema = filterSchema.safeExtend({
  format: z.enum(["jsonl", "jsonl.gz"]).default("jsonl.gz").describe("Plain or compressed."),
  limit: maximum(50_000, "Maximum number of entries; a chunk has at most 8 MiB of lines."),
  cursor: position("X-Next-Cursor of the previous chunk."),
});

const hasMore = z.enum(["true", "false"]).describe("Whether older entries may follow.");

export const listHeadersSchema = z.object({
  "X-Has-More": hasMore,
  "X-Next-Page-Token": textOf("`page_token` of the next page; absent on the last one.").optional(),
});

export const exportHeadersSchema = z.object({
  "X-Has-More": hasMore,
  "X-Next-Cursor": textOf("`cursor` of the next chunk; absent on the last one.").optional(),
  "X-Row-Count": textOf("Number of entries in the chunk."),
  "X-Content-Sha256": textOf("SHA-256 of the body, in hexadecimal."),
});

export const verifyQuerySchema = z.object({
  day: z.iso.date().openapi({ description: "Day in UTC.", example: "2026-01-02" }),
  after: queryInteger({ minimum: 0, default: 0, description: "`last_sequence` of the previous response." }),
});

export const verificationSchema = z
  .object({
    valid: flagOf("false: the next entry was changed or removed."),
    complete: flagOf("false: continue with `after`, if valid."),
    first_sequence: countOf("Number of the first entry that was to be verified.", 4001),
    last_sequence: countOf("Number of the last entry that is valid.", 4711),
    hash: textOf("The hash of that entry. A copy kept elsewhere shows whether the log was rewritten."),
  })
  .openapi("AuditLogVerification");

export type VerificationQuery = z.infer<typeof verifyQuerySchema>;

export type Verification = z.infer<typeof verificationSchema>;

import { z } from "@hono/zod-openapi";
import type { CallerEnv } from "../../features/organizations/index.ts";
import {
  callMachine,
  callSession,
  findSession,
  readEvents,
  screenshotKey,
  sessionObject,
} from "../../features/sessions/index.ts";
import { eventsQuerySchema, numberedEventSchema, streamHAR } from "../../features/telemetry/index.ts";
import { notFound } from "../../lib/common/errors.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { eventStreamResponse, eventsResponse } from "../../lib/http/event-stream-response.ts";
import { textOf } from "../../lib/http/fields.ts";
import { API_KEY_SECURITY, routesOf } from "../../lib/http/openapi.ts";
import { pageResponse } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";
import { logEventSchema, logQuerySchema } from "./log-schema.ts";

const DEFAULT_WINDOW_MS = 300_000;

/** As a text, so that the route may stream it. */
const HAR_TYPE: string = "application/json";

/** How many events are read at a time. */
const HAR_PAGE_SIZE = 500;

const harSchema = z
  .object({ log: z.record(z.string(), z.unknown()).describe("As in HAR 1.2.") })
  .openapi({ example: { log: { version: "1.2", creator: { name: "Berth", version: "1" }, entries: [] } } });

const route = routesOf("Telemetry", API_KEY_SECURITY);

const params = z.object({ id: textOf("The session's id or name.") });

export const telemetryRoutes = newRouter<CallerEnv>();

telemetryRoutes.openapi(
  route("get", "/browsers/{id}/telemetry/events", {
    operationId: "listSessionEvents",
    summary: "List a session's events",
    description: "Includes events of ended sessions, for the service's TELEMETRY_RETENTION_SECONDS.",
    request: { params, query: eventsQuerySchema },
    responses: { 200: pageResponse(numberedEventSchema, "A page of events.") },
  }),
  async (c) => {
    const { caller } = c.var;
    const { limit, offset: cursor, category: categories, order, since, until } = c.req.valid("query");
    const row = await findSession(openDatabase(c.env.DB), caller, c.req.valid("param").id, {
      includeEnded: true,
    });
    if (row === undefined) throw notFound("browser session");
    const defaultSince = (row.deletedAt ?? Date.now()) - DEFAULT_WINDOW_MS;
    const { items, nextCursor } = await readEvents(c.env, caller, row, {
      order,
      limit,
      cursor,
      categories,
      since: order === "asc" && cursor === undefined ? (since ?? defaultSince) * 1000 : undefined,
      until: until === undefined ? undefined : until * 1000,
    });
    const headers: Record<string, string> =
      nextCursor === undefined
        ? { "X-Has-More": "false" }
        : { "X-Has-More": "true", "X-Next-Offset": String(nextCursor) };
    return c.json(items, 200, headers);
  },
);

telemetryRoutes.openapi(
  route("get", "/browsers/{id}/har", {
    operationId: "downloadSessionHAR",
    summary: "Download a session's requests as HAR",
    description:
      "A file of the HAR 1.2 format, which browsers' developer tools and other viewers open, made of the recorded events of the " +
      "category `network`. Empty if the session records none. Bodies are included with `bodies`, as far as they are recorded. " +
      "Like the events, it is kept for the service's TELEMETRY_RETENTION_SECONDS.",
    request: { params },
    responses: {
      200: {
        description: "The requests, in the order in which they ended.",
        content: { [HAR_TYPE]: { schema: harSchema } },
      },
    },
  }),
  async (c) => {
    const { caller } = c.var;
    const row = await findSession(openDatabase(c.env.DB), caller, c.req.valid("param").id, {
      includeEnded: true,
    });
    if (row === undefined) throw notFound("browser session");
    const query = { order: "asc", limit: HAR_PAGE_SIZE, categories: ["network"] } as const;
    const file = await streamHAR((cursor) => readEvents(c.env, caller, row, { ...query, cursor }));
    return new Response(file, {
      headers: {
        "content-type": HAR_TYPE,
        "content-disposition": `attachment; filename="${row.id}.har"`,
        "x-content-type-options": "nosniff",
      },
    });
  },
);

telemetryRoutes.openapi(
  route("get", "/browsers/{id}/telemetry/stream", {
    operationId: "followSessionEvents",
    summary: "Follow a session's events",
    description:
      "Sends new events until the session ends. Each has its `seq` as `id`; send the last one as `Last-Event-ID` to continue.",
    request: {
      params,
      headers: z.object({
        "Last-Event-ID": z
          .string()
          .regex(/^\d{1,15}$/, "must be the id of an event")
          .optional()
          .openapi({
            description: "Send the events after this one first.",
            example: "12",
          }),
      }),
      query: z.object({
        replay: textOf(
          "`all`: send all events that are kept first. Ignored with `Last-Event-ID`.",
          "all",
        ).optional(),
      }),
    },
    responses: { 200: eventsResponse(numberedEventSchema) },
  }),
  async (c) => {
    const { caller } = c.var;
    const lastId = c.req.valid("header")["Last-Event-ID"];
    const replayed = c.req.valid("query").replay === "all" ? 0 : undefined;
    const after = lastId === undefined ? replayed : Number(lastId);
    const reference = { caller, idOrName: c.req.valid("param").id };
    const events = await callSession(c.env, reference, (id) => {
      c.set("sessionId", id);
      return sessionObject(c.env, id).followEvents(caller, after);
    });
    return eventStreamResponse(events);
  },
);

telemetryRoutes.openapi(
  route("get", "/browsers/{id}/logs/stream", {
    operationId: "followLog",
    summary: "Follow a log",
    description:
      "The lines of a file of the session, or the console and crashes of its browser. Lines above 64 KiB are split into " +
      "several. Answers 404 for a missing file unless it is followed.",
    request: { params, query: logQuerySchema },
    responses: { 200: eventsResponse(logEventSchema) },
  }),
  async (c) => {
    const { caller } = c.var;
    const { path, follow, source, supervisor_process } = c.req.valid("query");
    const reference = { caller, idOrName: c.req.valid("param").id };
    if (source === "path" && path !== undefined) {
      const lines = await callMachine(c.env, reference, (machine) => {
        c.set("sessionId", machine.caller.sessionId);
        return machine.stub.files(machine.caller).streamLines(path, follow);
      });
      return eventStreamResponse(lines);
    }
    const lines = await callSession(c.env, reference, (id) => {
      c.set("sessionId", id);
      return sessionObject(c.env, id).streamLog(caller, {
        process: supervisor_process || "chromium",
        follows: follow,
      });
    });
    return eventStreamResponse(lines);
  },
);

telemetryRoutes.openapi(
  route("get", "/browsers/{id}/evidence/screenshot", {
    operationId: "downloadEndedSessionLastScreenshot",
    summary: "Download an ended session's last screenshot",
    description: "For the service's TELEMETRY_RETENTION_SECONDS.",
    request: { params },
    responses: {
      200: {
        description: "The picture.",
        content: { "image/jpeg": { schema: z.string().openapi({ format: "binary" }) } },
      },
    },
  }),
  async (c) => {
    const { caller } = c.var;
    const row = await findSession(openDatabase(c.env.DB), caller, c.req.valid("param").id, {
      includeEnded: true,
    });
    if (row === undefined) throw notFound("browser session");
    const file = await c.env.FILES.get(screenshotKey(row));
    const picture = file?.body ?? (await sessionObject(c.env, row.id).readScreenshot(caller));
    if (picture === undefined) throw notFound("screenshot of this session");
    return c.body(picture, 200, { "content-type": "image/jpeg", "x-content-type-options": "nosniff" });
  },
);

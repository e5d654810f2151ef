import { z } from "@hono/zod-openapi";
import {
  type BrowserSessionRow,
  END_REASONS,
  type Evidence,
} from "../../lib/database/schema/browser-sessions.ts";
import type { ProfileRow } from "../../lib/database/schema/profiles.ts";
import { eventName } from "../../lib/http/event-stream-response.ts";
import { countOf, flagOf, textOf, timeOf } from "../../lib/http/fields.ts";
import { presentProfile, profileSchema } from "../profiles/index.ts";
import { DEFAULT_CONFIG, presentConfig, telemetrySchema } from "../telemetry/index.ts";
import { describeEnd, END_REASON_MEANINGS } from "./end-reason.ts";
import { presentOptions } from "./options.ts";
import { machineSchema, presentedFlags, regionSchema, viewportShape } from "./schema.ts";

export const sessionSchema = z
  .object({
    session_id: textOf("Id of the session.", "htzv5orfit78e1m2biiifpbv"),
    created_at: timeOf("When it was created."),
    cdp_ws_url: textOf(
      "DevTools endpoint. It carries its own token and needs no API key.",
      "wss://berth.example.com/cdp/htzv5orfit78e1m2biiifpbv?jwt=…",
    ),
    webdriver_ws_url: textOf(
      "WebDriver BiDi endpoint. It carries its own token and needs no API key.",
      "wss://berth.example.com/webdriver/htzv5orfit78e1m2biiifpbv?jwt=…",
    ),
    browser_live_view_url: textOf(
      "A page to watch and control the browser. It carries its own token and needs no API key. Absent for " +
        "headless and ended sessions.",
      "https://berth.example.com/live/htzv5orfit78e1m2biiifpbv?jwt=…",
    ).optional(),
    ...presentedFlags,
    timeout_seconds: countOf("Seconds of inactivity after which it ends.", 300),
    viewport: viewportShape.describe("Size of its windows."),
    name: textOf("Its name; absent when it has none.", "first").optional(),
    tags: z
      .record(z.string(), z.string())
      .openapi({ description: "Its labels, by key.", example: { team: "backend" } }),
    start_url: textOf("The requested start URL, not the current page.", "https://example.com").optional(),
    persistence: z
      .object({
        id: textOf("The `persistence.id` of the session.", "shop-login"),
      })
      .optional()
      .openapi({ deprecated: true, description: "Use timeout_seconds and profiles." }),
    region: regionSchema
      .optional()
      .describe("The region that it was created in; absent when none was given."),
    machine: machineSchema.describe("What runs its commands and keeps its files."),
    proxy_id: textOf("Id of its proxy; absent when it has none.", "p0m3q9x7c2v5b8n1k4j6h0gd").optional(),
    profile: profileSchema.optional().describe("The profile that was loaded."),
    pool: z
      .object({
        id: textOf("Id of the pool.", "b0l7cmhhb3rrh2c4r1z0m7qe"),
        name: textOf("Name of the pool; absent when it has none.", "warm").optional(),
      })
      .optional()
      .describe("The pool that it was acquired from."),
    invocation_id: textOf(
      "The invocation that it belongs to; absent when it belongs to none.",
      "rr33xuugxj9h0bkf1rdt2bet",
    ).optional(),
    api_key: z
      .object({
        id: textOf("Id of the API key.", "k7m2x9c5v8b1n3j6h0gfqzd4"),
        name: textOf("Its name.", "ci"),
      })
      .optional()
      .describe("The API key that created or acquired it; absent when the key of a run did."),
    telemetry: telemetrySchema,
    record: flagOf("Whether the whole session is recorded.", false),
    activity: z
      .object({
        clients: countOf("Open connections of DevTools and WebDriver clients.", 1),
        viewers: countOf("Open live views.", 0),
        idle_since: timeOf("Since when nothing uses it; absent while it is in use.").optional(),
        ends_at: timeOf(
          "When it ends by inactivity if it stays unused; absent while it is in use.",
          "2026-01-02T15:09:05.123Z",
        ).optional(),
      })
      .optional()
      .describe(
        "Who uses it; absent once it has ended. The counts lag by at most a second, the times by at most 15 seconds.",
      ),
    deleted_at: timeOf("When it ended; absent while it is active.", "2026-01-02T15:34:05.123Z").optional(),
    end_details: textOf(
      "Why it ended and who ended it, and problems such as a profile that could not be saved.",
      'Deleted by API key "ci".',
    ).optional(),
    evidence: z
      .object({
        tabs: z
          .array(
            z.object({
              url: textOf("Address of the tab.", "https://example.com/"),
              title: textOf("Title of the tab.", "Example Domain"),
            }),
          )
          .describe("The tabs that were open."),
        screenshot_url: textOf(
          "Picture of the tab in front; requires the API key; absent when none could be taken.",
          "https://berth.example.com/browsers/htzv5orfit78e1m2biiifpbv/evidence/screenshot",
        ).optional(),
        screenshot_at: timeOf(
          "When it was taken: before the end, or earlier if the browser did not answer.",
          "2026-01-02T15:34:05.123Z",
        ).optional(),
        events_url: textOf(
          "The last 200 events; requires the API key.",
          "https://berth.example.com/browsers/htzv5orfit78e1m2biiifpbv/telemetry/events?order=desc&limit=200",
        ),
      })
      .optional()
      .describe("What the session last showed; absent while it is active."),
    end_reason: z
      .enum(END_REASONS)
      .optional()
      .openapi({
        description: Object.entries(END_REASON_MEANINGS)
          .map(([reason, meaning]) => `\`${reason}\`: ${meaning}`)
          .join("; "),
      }),
  })
  .openapi("BrowserSession", {
    example: {
      session_id: "htzv5orfit78e1m2biiifpbv",
      created_at: "2026-01-02T15:04:05.123Z",
      cdp_ws_url: "wss://berth.example.com/cdp/htzv5orfit78e1m2biiifpbv?jwt=…",
      webdriver_ws_url: "wss://berth.example.com/webdriver/htzv5orfit78e1m2biiifpbv?jwt=…",
      browser_live_view_url: "https://berth.example.com/live/htzv5orfit78e1m2biiifpbv?jwt=…",
      headless: false,
      stealth: false,
      kiosk_mode: false,
      timeout_seconds: 300,
      viewport: { width: 1440, height: 900, refresh_rate: 25 },
      name: "first",
      tags: { team: "backend" },
      telemetry: null,
      record: false,
      machine: "simulated",
    },
  });

export const sessionPageEventSchema = z
  .object({
    event: eventName("page"),
    sessions: z.array(sessionSchema).describe("The page, as GET /browsers returns it."),
    has_more: flagOf("Whether another page follows.", false),
    counts: z
      .object({
        active: countOf("All active sessions of the organization, including those on other pages.", 12),
      })
      .describe("Numbers of sessions."),
  })
  .openapi("SessionPageEvent");

export type SessionPageEvent = z.infer<typeof sessionPageEventSchema>;

export type SessionBody = z.infer<typeof sessionSchema>;

export function presentSession(
  row: BrowserSessionRow,
  { profile, apiKeys }: { profile: ProfileRow | undefined; apiKeys: ReadonlyMap<string, string> },
  urls: { origin: string; bidi: string; cdp: string; liveView: string },
): SessionBody {
  return {
    session_id: row.id,
    created_at: new Date(row.createdAt).toISOString(),
    cdp_ws_url: urls.cdp,
    webdriver_ws_url: urls.bidi,
    browser_live_view_url: row.headless || row.deletedAt !== null ? undefined : urls.liveView,
    ...presentOptions(row),
    name: row.name ?? undefined,
    tags: row.tags,
    persistence: row.persistenceId === null ? undefined : { id: row.persistenceId },
    profile: profile === undefined ? undefined : presentProfile(profile),
    pool: row.poolId === null ? undefined : { id: row.poolId, name: row.poolName ?? undefined },
    invocation_id: row.invocationId ?? undefined,
    api_key: presentKey(row.apiKeyId, apiKeys),
    telemetry: presentConfig(row.telemetry ?? DEFAULT_CONFIG),
    activity: row.state === "active" ? presentActivity(row) : undefined,
    deleted_at: row.deletedAt === null ? undefined : new Date(row.deletedAt).toISOString(),
    evidence:
      row.evidence === null ? undefined : presentEvidence(row.evidence, `${urls.origin}/browsers/${row.id}`),
    end_reason: row.endReason ?? undefined,
    end_details: describeEnd(row, presentKey(row.endedByApiKeyId, apiKeys)?.name),
  };
}

function presentActivity(row: BrowserSessionRow): SessionBody["activity"] {
  const { clients, viewers, idleSince, timeoutSeconds } = row;
  if (idleSince === null) return { clients, viewers };
  return {
    clients,
    viewers,
    idle_since: new Date(idleSince).toISOString(),
    ends_at: new Date(idleSince + timeoutSeconds * 1000).toISOString(),
  };
}

function presentEvidence({ tabs, screenshotAt }: Evidence, sessionURL: string): SessionBody["evidence"] {
  return {
    tabs,
    ...(screenshotAt !== null && {
      screenshot_url: `${sessionURL}/evidence/screenshot`,
      screenshot_at: new Date(screenshotAt).toISOString(),
    }),
    events_url: `${sessionURL}/telemetry/events?order=desc&limit=200`,
  };
}

function presentKey(id: string | null, names: ReadonlyMap<string, string>): SessionBody["api_key"] {
  const name = id === null ? undefined : names.get(id);
  return id === null || name === undefined ? undefined : { id, name };
}

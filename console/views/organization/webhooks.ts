import { APIError, type Schemas } from "../../api/client.ts";
import { formatDuration } from "../../ui/format.ts";

export type Webhook = Schemas["Webhook"];
export type Delivery = Schemas["WebhookDelivery"];
type EventType = NonNullable<Webhook["event_types"]>[number];

/** What a webhook can get, and when. */
export const EVENT_TYPES: readonly (readonly [EventType, string])[] = [
  ["session.created", "a session is ready, or was acquired from a pool"],
  ["session.ended", "a session has ended, or was released to its pool"],
  ["session.crashed", "a session has ended because its browser was lost"],
  ["pool.failing", "a pool cannot launch browsers"],
  ["invocation.finished", "an invocation has succeeded or failed"],
  ["replay.ready", "a recording has ended and can be downloaded"],
  ["handoff.requested", "an agent asks a person for help"],
  ["handoff.completed", "a handoff has ended"],
];

export const STATES = {
  pending: ["info", "Pending"],
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"],
} as const;

/** What the receiver answered, such as `HTTP 204 in 12 ms`. */
export function describeAttempt({ status, error, duration_ms }: Delivery["attempts"][number]): string {
  const duration = formatDuration(duration_ms);
  return status === undefined ? `${error ?? "No answer"} (${duration})` : `HTTP ${status} in ${duration}`;
}

/** Headers as `Name: value` in lines. @throws APIError for a line without a colon. */
export function parseHeaders(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const separator = line.indexOf(":");
      // The line may hold a key, so the message does not repeat it.
      const message = "each line must have the form Name: value";
      if (separator < 1) throw new APIError(0, "invalid_input", `headers: ${message}`, { headers: message });
      return [line.slice(0, separator).trim(), line.slice(separator + 1).trim()];
    }),
  );
}

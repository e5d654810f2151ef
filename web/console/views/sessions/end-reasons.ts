import type { components } from "../../api/openapi.d.ts";

type Session = components["schemas"]["BrowserSession"];
type EndReason = NonNullable<Session["end_reason"]>;

type Tone = "neutral" | "warn" | "bad";

/** A word, its tone, and a sentence unless the service has a better one. */
const MEANINGS: Readonly<Record<EndReason, readonly [word: string, tone: Tone, text?: string]>> = {
  deleted: ["Deleted", "neutral"],
  inactivity: ["Idle", "neutral"],
  lifetime: ["Lifetime", "warn", "The session reached its maximum lifetime."],
  browser_lost: ["Crashed", "bad", "The browser crashed or was closed, so the session ended."],
  organization_ended: ["Organization disabled", "bad", "The organization was disabled or deleted."],
  released: ["Released", "neutral", "The session was released to its pool."],
  pool_deleted: ["Pool deleted", "neutral", "The session's pool was deleted."],
  discarded: ["Pool shrunk", "neutral", "The pool no longer needed this browser."],
  invocation_ended: ["App run ended", "neutral", "The app run that the session belonged to has ended."],
  connection_closed: ["Disconnected", "neutral", "The client that created this session disconnected."],
};

/** Why a session ended, as a word with its tone. An unknown reason is shown as it is. */
export function summarizeEnd(reason: EndReason | undefined): { word: string; tone: Tone } {
  const [word, tone] = (reason && MEANINGS[reason]) ?? [reason ?? "Ended", "neutral"];
  return { word, tone };
}

type Ended = Pick<Session, "end_reason" | "end_details" | "timeout_seconds">;

/** What happened, in a sentence, and what the service knows beyond that. */
export function explainEnd({ end_reason, end_details = "", timeout_seconds }: Ended) {
  const text =
    end_reason === "inactivity"
      ? `Nobody used the session for ${timeout_seconds} seconds, its idle timeout.`
      : end_reason && MEANINGS[end_reason]?.[2];
  if (text === undefined) return { text: end_details || "The session has ended.", more: "" };
  // The service's own first sentence says the same.
  return { text, more: end_details.split(". ").slice(1).join(". ") };
}

import type { components } from "../../api/openapi.d.ts";

type Session = components["schemas"]["BrowserSession"];
type EndReason = NonNullable<Session["end_reason"]>;

interface Meaning {
  word: string;
  tone: "neutral" | "warn" | "bad";
  /** Absent: the service says it better. */
  text?: string;
}

const MEANINGS: Readonly<Record<EndReason, Meaning>> = {
  deleted: { word: "Deleted", tone: "neutral" },
  inactivity: { word: "Idle", tone: "neutral" },
  lifetime: { word: "Lifetime", tone: "warn", text: "The session reached its maximum lifetime." },
  browser_lost: {
    word: "Crashed",
    tone: "bad",
    text: "The browser crashed or was closed, so the session ended.",
  },
  organization_ended: {
    word: "Organization disabled",
    tone: "bad",
    text: "The organization was disabled or deleted.",
  },
  released: { word: "Released", tone: "neutral", text: "The session was released to its pool." },
  pool_deleted: { word: "Pool deleted", tone: "neutral", text: "The session's pool was deleted." },
  discarded: { word: "Pool shrunk", tone: "neutral", text: "The pool no longer needed this browser." },
  invocation_ended: {
    word: "App run ended",
    tone: "neutral",
    text: "The app run that the session belonged to has ended.",
  },
  connection_closed: {
    word: "Disconnected",
    tone: "neutral",
    text: "The client that created this session disconnected.",
  },
};

/** Why a session ended, as a word with its tone. An unknown reason is shown as it is. */
export function summarizeEnd(reason: EndReason | undefined): Pick<Meaning, "word" | "tone"> {
  if (reason === undefined) return { word: "Ended", tone: "neutral" };
  return MEANINGS[reason] ?? { word: reason, tone: "neutral" };
}

type Ended = Pick<Session, "end_reason" | "end_details" | "timeout_seconds">;

/** What happened, in a sentence, and what the service knows beyond that. */
export function explainEnd({ end_reason, end_details = "", timeout_seconds }: Ended) {
  const text =
    end_reason === "inactivity"
      ? `Nobody used the session for ${timeout_seconds} seconds, its idle timeout.`
      : end_reason && MEANINGS[end_reason]?.text;
  if (text === undefined) return { text: end_details || "The session has ended.", more: "" };
  // The service's own first sentence says the same.
  return { text, more: end_details.split(". ").slice(1).join(". ") };
}

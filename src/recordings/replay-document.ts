import type { NumberedEvent } from "../telemetry/index.ts";

/** What the page of a recording shows beside the video. Texts are untrusted. */
export interface ReplayDocument {
  recording: {
    /** Milliseconds since the epoch. */
    startedAt: number;
    finishedAt: number | null;
    sizeBytes: number;
    note: string | null;
    /** Times are milliseconds since the start. */
    chapters: { time: number; url: string; title: string }[];
  };
  events: NumberedEvent[];
}

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
  /** `ts` in microseconds since the epoch. */
  events: { event: { type: string; ts: number; data?: Record<string, unknown> } }[];
}

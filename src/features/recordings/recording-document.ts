/** What the page of a recording shows beside the video. Text is untrusted. */
export interface RecordingDocument {
  recording: {
    /** Milliseconds since the epoch. */
    startedAt: number;
    finishedAt: number | null;
    sizeBytes: number;
    note: string | null;
    sessionName: string | null;
    /** Why its session ended. Null while it lives. */
    endReason: string | null;
  };
  /** In the order of time. None while it is being recorded. */
  items: RecordingItem[];
  /** Whether later events are left out. */
  isCut: boolean;
}

/** A page that came to the front, or an event. */
export interface RecordingItem {
  /** Seconds since the start. */
  time: number;
  category: string;
  kind: string;
  text: string;
  url: string;
  isError: boolean;
}

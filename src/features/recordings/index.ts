export { toWebVTT } from "./chapters.ts";
export { finishReplay, type UnfinishedReplay } from "./finish-replay.ts";
export { endedByLoss } from "./recorder.ts";
export type { ReplayDocument } from "./replay-document.ts";
export { listItems } from "./replay-items.ts";
export { serveReplay } from "./serve-replay.ts";
export { DEFAULT_FRAME_RATE, type RecordingStart, SessionRecordings } from "./session-recordings.ts";
export { findReplay, listReplays } from "./store.ts";
export { sweepReplays } from "./sweep.ts";

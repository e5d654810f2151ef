export { toWebVTT } from "./chapters.ts";
export { finishRecording, type UnfinishedRecording } from "./finish-recording.ts";
export { endedByLoss } from "./recorder.ts";
export type { RecordingDocument } from "./recording-document.ts";
export { listItems } from "./recording-items.ts";
export { serveRecording } from "./serve-recording.ts";
export { DEFAULT_FRAME_RATE, type RecordingStart, SessionRecordings } from "./session-recordings.ts";
export { findRecording, listAllRecordings, listRecordings } from "./store.ts";
export { sweepRecordings } from "./sweep.ts";

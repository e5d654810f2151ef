export { describeCall, type NewEntry } from "./entry.ts";
export { AuditLog } from "./object.ts";
export { readPage } from "./read-page.ts";
export { AuditRecorder } from "./recorder.ts";
export * from "./schema.ts";
export { verifyDay } from "./verify-day.ts";

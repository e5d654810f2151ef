export { describeCall, type NewEntry } from "./entry.ts";
export { AuditLog } from "./object.ts";
export { readPage } from "./read-page.ts";
export { AuditRecorder } from "./recorder.ts";
export {
  auditLogEntrySchema,
  exportHeadersSchema,
  exportQuerySchema,
  listHeadersSchema,
  listQuerySchema,
  verificationSchema,
  verifyQuerySchema,
} from "./schema.ts";
export { verifyDay } from "./verify-day.ts";

export { AuditLog } from "./object.ts";
export { recordRequest } from "./record-request.ts";
export { auditLogRoutes } from "./routes.ts";

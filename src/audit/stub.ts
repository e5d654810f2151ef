import type { AuditLog } from "./object.ts";

export function auditLogObject(env: Env, organizationId: string): DurableObjectStub<AuditLog> {
  return env.AUDIT_LOG.getByName(organizationId);
}

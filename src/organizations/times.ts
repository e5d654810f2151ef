import { z } from "@hono/zod-openapi";

export const createdAtSchema = z.iso
  .datetime()
  .openapi({ description: "When it was created.", example: "2026-01-02T15:04:05.123Z" });

export function toDateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function toNullableDateTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toDateTime(milliseconds);
}

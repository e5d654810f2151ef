import { z } from "@hono/zod-openapi";

export function textOf(description: string, example?: string | null) {
  return z.string().openapi({ description, example });
}

export function countOf(description: string, example?: number) {
  return z.int().openapi({ description, example });
}

export function flagOf(description: string, example?: boolean) {
  return z.boolean().openapi({ description, example });
}

export function timeOf(description: string, example: string | null = "2026-01-02T15:04:05.123Z") {
  return z.iso.datetime().openapi({ description, example });
}

export function toDateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function toNullableDateTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toDateTime(milliseconds);
}

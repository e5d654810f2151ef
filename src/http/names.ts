import { z } from "@hono/zod-openapi";

/** A name that callers give to a thing and may use in its path. */
export const nameSchema = z
  .string()
  .min(1, "must not be empty")
  .max(255, "must have at most 255 characters")
  .regex(/^[A-Za-z0-9._-]*$/, "may hold letters, digits, '.', '_' and '-' only")
  .refine((name) => name !== "." && name !== "..", "must not be '.' or '..', which no path can hold");

/** A name for people to read; it need not be unique, and no path holds it. */
export const displayNameSchema = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(255, "must have at most 255 characters");

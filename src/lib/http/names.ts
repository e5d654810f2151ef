import { z } from "@hono/zod-openapi";

export const nameSchema = z
  .string()
  .min(1, "must not be empty")
  .max(255, "must have at most 255 characters")
  .regex(/^[A-Za-z0-9._-]*$/, "may hold letters, digits, '.', '_' and '-' only")
  .refine((name) => name !== "." && name !== "..", "must not be '.' or '..', which no path can hold");

/** Unlike {@link nameSchema}, need not be unique and is never part of a path. */
export const displayNameSchema = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(255, "must have at most 255 characters");

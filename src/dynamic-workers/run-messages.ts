import { z } from "zod";

const STREAMS = ["stdout", "stderr"] as const;

/** Something that was thrown, in words: code may throw anything. */
export const thrownSchema = z.object({
  name: z.string(),
  message: z.string(),
  stack: z.string().optional(),
});

export type Thrown = z.infer<typeof thrownSchema>;

/** What code that runs in a Dynamic Worker tells, one JSON object per line. The last is `done`. */
export const runMessageSchema = z.union([
  z.object({ line: z.object({ stream: z.enum(STREAMS), text: z.string() }) }),
  z.object({
    done: z.union([
      /** `json`: what the code returned, as JSON. */
      z.object({ ok: z.literal(true), json: z.string() }),
      /** `overran`: the code was stopped because it blocked the event loop. */
      z.object({ ok: z.literal(false), thrown: thrownSchema, overran: z.literal(true).optional() }),
    ]),
  }),
]);

export type RunMessage = z.infer<typeof runMessageSchema>;

/** How a run ended. */
export type RunResult = Extract<RunMessage, { done: unknown }>["done"];

export type LogLine = Extract<RunMessage, { line: unknown }>["line"];

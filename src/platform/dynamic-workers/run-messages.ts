import { z } from "zod";

const STREAMS = ["stdout", "stderr"] as const;

/** A description of a thrown value, which need not be an Error. */
export const thrownSchema = z.object({
  name: z.string(),
  message: z.string(),
  stack: z.string().optional(),
});

export type Thrown = z.infer<typeof thrownSchema>;

export const runMessageSchema = z.union([
  z.object({ line: z.object({ stream: z.enum(STREAMS), text: z.string() }) }),
  z.object({
    done: z.union([
      z.object({ ok: z.literal(true), json: z.string() }),
      /** `overran`: the code was stopped because it blocked the event loop. */
      z.object({ ok: z.literal(false), thrown: thrownSchema, overran: z.literal(true).optional() }),
    ]),
  }),
]);

export type RunMessage = z.infer<typeof runMessageSchema>;

export type RunResult = Extract<RunMessage, { done: unknown }>["done"];

export type LogLine = Extract<RunMessage, { line: unknown }>["line"];

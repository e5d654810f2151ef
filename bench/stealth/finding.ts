import { z } from "zod";

/** One check of a detector's, and whether it takes the browser for a program's. */
export const findingSchema = z.object({ detector: z.string(), check: z.string(), tells: z.boolean() });

export type Finding = z.infer<typeof findingSchema>;

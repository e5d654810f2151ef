import { z } from "zod";

/** One check, and whether it detected a bot. */
export const findingSchema = z.object({ detector: z.string(), check: z.string(), detected: z.boolean() });

export type Finding = z.infer<typeof findingSchema>;

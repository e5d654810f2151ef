import { z } from "zod";

const price = z
  .string()
  .regex(/^\d+(\.\d+)?$/, "must be a number of dollars")
  .transform(Number)
  .default(0);

/** Prices in US dollars as a text such as `browser_hour=0.096 dynamic_worker=0.002`. One that is not named is 0. */
export const pricesSchema = z
  .string()
  .transform((text) =>
    Object.fromEntries(
      text
        .split(/[\s,]+/)
        .filter(Boolean)
        .map((entry) => {
          const [name = "", amount = ""] = entry.split("=", 2);
          return [name, amount];
        }),
    ),
  )
  .pipe(
    z.strictObject({
      browser_hour: price,
      session: price,
      invocation: price,
      dynamic_worker: price,
      recorded_hour: price,
      stored_gb_month: price,
      proxied_gb: price,
    }),
  );

export type Prices = z.infer<typeof pricesSchema>;

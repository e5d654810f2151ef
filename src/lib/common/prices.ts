import { z } from "zod";

export const PRICE_NAMES = [
  "browser_hour",
  "invocation",
  "dynamic_worker",
  "recorded_hour",
  "stored_gb_month",
  "proxied_gb",
] as const;

const price = z
  .string()
  .regex(/^\d+(\.\d+)?$/, "must be a number of dollars")
  .transform(Number)
  .default(0);

/** Prices in US dollars, such as `browser_hour=0.096 dynamic_worker=0.002`. One that is not named is 0. */
export const pricesSchema = z
  .string()
  .transform((text) =>
    Object.fromEntries((text.match(/[^\s,]+/g) ?? []).map((entry) => `${entry}=`.split("=", 2))),
  )
  .pipe(z.record(z.enum(PRICE_NAMES), price));

export type Prices = z.infer<typeof pricesSchema>;

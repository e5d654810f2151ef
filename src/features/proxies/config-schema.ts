import { z } from "@hono/zod-openapi";
import { canonicalHost } from "../../lib/common/canonical-host.ts";
import { countOf } from "../../lib/http/fields.ts";

const MAX_TEXT_LENGTH = 255;
const MAX_PASSWORD_LENGTH = 1024;

const HAS_CONTROL_CHARACTER = /\p{Cc}/u;

const countrySchema = z
  .string()
  .regex(/^[A-Za-z]{2}$/, "must be a country's code of two letters, such as US")
  .transform((code) => code.toUpperCase())
  .openapi({ type: "string", description: "ISO 3166 code.", example: "US" });

const oneCountrySchema = countrySchema.refine((code) => code !== "EU", "must be one country");

const stateSchema = z
  .string()
  .regex(/^[A-Za-z]{2}$/, "must be a US state's code of two letters, such as CA")
  .transform((code) => code.toUpperCase())
  .openapi({ type: "string", description: "Code of a US state.", example: "CA" });

const citySchema = z
  .string()
  .max(MAX_TEXT_LENGTH, `must have at most ${MAX_TEXT_LENGTH} characters`)
  .regex(/^[a-z0-9_.-]+$/, "must be in lower case without spaces, such as sanfrancisco")
  .openapi({ description: "City, in lower case without spaces.", example: "sanfrancisco" });

const zipSchema = z
  .string()
  .regex(/^\d{5}$/, "must have five digits")
  .openapi({ description: "US ZIP code. Cannot be combined with city or state.", example: "94103" });

const asnSchema = z
  .string()
  .regex(/^AS\d{1,10}$/i, "must be AS and a number, such as AS7922")
  .transform((asn) => asn.toUpperCase())
  .openapi({
    type: "string",
    description: "Autonomous system. Cannot be combined with city or state.",
    example: "AS7922",
  });

/** For types that allow only a country. */
export const countryConfigSchema = z
  .object({ country: countrySchema.default("US").describe("ISO 3166 code, or EU.") })
  .prefault({});

export const residentialConfigSchema = z
  .object({
    country: oneCountrySchema.optional(),
    state: stateSchema.optional(),
    city: citySchema.optional(),
    zip: zipSchema.optional(),
    asn: asnSchema.optional(),
  })
  .superRefine((config, context) => {
    requireCountry(config, context);
    for (const field of ["zip", "asn"] as const) {
      if (config[field] !== undefined && (config.city !== undefined || config.state !== undefined)) {
        addProblem(context, field, "cannot be combined with city or state");
      }
    }
    if (config.zip !== undefined && config.country !== undefined && config.country !== "US") {
      addProblem(context, "zip", "is for the country US only");
    }
  })
  .prefault({});

export const mobileConfigSchema = z
  .object({
    country: oneCountrySchema.optional(),
    state: stateSchema.optional(),
    city: citySchema.optional(),
  })
  .superRefine(requireCountry)
  .prefault({});

export const customConfigSchema = z.object(
  {
    host: z
      .string()
      .max(MAX_TEXT_LENGTH, `must have at most ${MAX_TEXT_LENGTH} characters`)
      .transform((text, context) => {
        const host = canonicalHost(text.trim());
        if (host !== undefined) return host;
        context.addIssue({
          code: "custom",
          message: "must be a host name or an IP address, without scheme, port or path",
        });
        return z.NEVER;
      })
      .openapi({
        type: "string",
        description: "Host name or IP address, without scheme, port or path.",
        example: "proxy.example.com",
      }),
    port: countOf("Port of the proxy.", 3128).min(1).max(65_535),
    username: z
      .string()
      .min(1, "must not be empty")
      .max(MAX_TEXT_LENGTH, `must have at most ${MAX_TEXT_LENGTH} characters`)
      .refine((text) => !HAS_CONTROL_CHARACTER.test(text) && !text.includes(":"), {
        message: "must have neither a colon nor control characters",
      })
      .optional()
      .openapi({ description: "User name for the proxy.", example: "user" }),
    password: z
      .string()
      .min(5, "must have at least 5 characters")
      .max(MAX_PASSWORD_LENGTH, `must have at most ${MAX_PASSWORD_LENGTH} characters`)
      .refine((text) => !HAS_CONTROL_CHARACTER.test(text), "must have no control characters")
      .optional()
      .describe("Stored encrypted, and never shown."),
    ca_bundle: z
      .unknown()
      .refine(
        (bundle) => bundle === undefined || bundle === null || bundle === "",
        "is not supported: browsers here trust public certificate authorities only",
      )
      .optional()
      .openapi({ description: "Refused.", deprecated: true }),
  },
  "must be an object with host and port",
);

type LocationConfig = Partial<Record<"country" | "state" | "city" | "zip" | "asn", string>>;

function requireCountry(config: LocationConfig, context: z.RefinementCtx): void {
  const { country, ...others } = config;
  if (country === undefined && Object.values(others).some((value) => value !== undefined)) {
    addProblem(context, "country", "is required with any other field");
  }
  if (config.state !== undefined && country !== undefined && country !== "US") {
    addProblem(context, "state", "is for the country US only");
  }
}

function addProblem(context: z.RefinementCtx, field: string, message: string): void {
  context.addIssue({ code: "custom", path: [field], message });
}

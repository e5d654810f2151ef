import { z } from "@hono/zod-openapi";
import type { Settings } from "../../lib/common/settings.ts";
import { listSecrets, listSettings } from "../../lib/common/settings-in-force.ts";
import type { OrganizationRow } from "../../lib/database/schema/organizations.ts";
import { countOf, flagOf, textOf, timeOf, toDateTime, toNullableDateTime } from "../../lib/http/fields.ts";
import { displayNameSchema } from "../../lib/http/names.ts";
import { createdAPIKeySchema, keyNameSchema } from "./api-keys/schema.ts";
import type { OrganizationWithUse } from "./store.ts";

const organizationNameSchema = displayNameSchema.openapi({
  description: "Display name of the organization. It need not be unique.",
  example: "Example Inc.",
});

export const idParamSchema = z.object({
  id: textOf("Id of the API key or organization."),
});

export const signInBodySchema = z.object({
  key: textOf("An API key, or ADMIN_TOKEN.", "berth_Xy4fExampleThatIsNoRealKey9aQk").min(
    1,
    "must not be empty",
  ),
});

export const signInLinkBodySchema = z.object({
  token: textOf("Of the link that `npm start` prints.", "eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiJhIn0.c2lnbmF0dXJl"),
});

const signInShape = {
  expires_at: timeOf("When the sign-in ends.", "2026-01-03T03:04:05.000Z"),
  by_access: flagOf("Whether Cloudflare Access signed in.", false),
};

const namedSchema = z.object({
  id: textOf("Its id.", "o4h8w2k6s0v3z9c1m5x7t2qd"),
  name: textOf("Its name.", "Example Inc."),
});

/** Who uses the console. */
export const consoleSessionSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("anonymous").describe("Nobody is signed in.") }),
    z.object({
      kind: z.literal("organization").describe("Signed in with an API key."),
      organization: namedSchema.describe("The organization of the key."),
      api_key: namedSchema.describe("The key, whose rights the console has."),
      ...signInShape,
    }),
    z.object({
      kind: z.literal("operator").describe("Signed in with ADMIN_TOKEN."),
      ...signInShape,
    }),
  ])
  .openapi("ConsoleSession");

/** A browser that is signed in to the console. */
export const consoleSignInSchema = z
  .object({
    id: textOf("Its id.", "o4h8w2k6s0v3z9c1m5x7t2qd"),
    user_agent: textOf("Header `User-Agent` of the sign-in.", "Mozilla/5.0"),
    created_at: timeOf("When it began.", "2026-01-02T15:04:05.000Z"),
    expires_at: signInShape.expires_at,
    is_current: flagOf("Whether it is the sign-in of this call.", true),
  })
  .openapi("ConsoleSignIn");

export const organizationLimitsSchema = z
  .object({
    max_concurrent_sessions: countOf("Maximum number of concurrent sessions of the organization.", 100),
    max_pooled_sessions: countOf("Maximum number of browsers in the organization's pools.", 100),
    default_project_max_concurrent_sessions: countOf(
      "Limit of each project without one of its own; null: only that of the organization.",
      10,
    ).nullable(),
  })
  .openapi("OrganizationLimits");

export const updateLimitsBodySchema = z.object({
  default_project_max_concurrent_sessions: countOf(
    "At most the organization's `max_concurrent_sessions`. 0 or null: no limit; absent: as it is.",
    10,
  )
    .min(0)
    .nullish(),
});

export function presentOrganizationLimits(
  row: OrganizationRow,
  settings: Settings,
): z.infer<typeof organizationLimitsSchema> {
  return {
    max_concurrent_sessions: row.maxConcurrentSessions ?? settings.maxConcurrentSessions,
    max_pooled_sessions: row.maxPooledSessions ?? settings.maxPooledSessions,
    default_project_max_concurrent_sessions: row.defaultProjectMaxConcurrentSessions,
  };
}

const budgetSchema = z.number().min(0).nullable();

/** What the operator can set for an organization. */
const limitsSchema = z.object({
  max_concurrent_sessions: countOf("Maximum number of concurrent sessions; null: the service's default.", 50)
    .min(0)
    .nullable(),
  max_pooled_sessions: countOf("Maximum number of browsers in pools; null: the service's default.", 20)
    .min(0)
    .nullable(),
  soft_budget_usd: budgetSchema.openapi({
    description:
      "Budget in US dollars for each calendar month in UTC; when it is reached, webhooks get `organization.budget_reached`; null: none.",
    example: 80,
  }),
  hard_budget_usd: budgetSchema.openapi({
    description:
      "Budget in US dollars for each calendar month in UTC; when it is used up, sessions, leases and invocations are refused with 402; null: none.",
    example: 100,
  }),
});

const weightSchema = countOf(
  "Share of browser launches while several organizations wait for browsers: 2 gets twice as many as 1.",
  1,
)
  .min(1)
  .max(1000);

export const organizationSchema = z
  .object({
    id: textOf("Id of the organization.", "o4h8w2k6s0v3z9c1m5x7t2qd"),
    name: textOf("Name of the organization.", "Example Inc."),
    ...limitsSchema.shape,
    weight: weightSchema,
    created_at: timeOf("When it was created."),
    disabled_at: timeOf("When it was disabled; null while it is enabled.", null).nullable(),
  })
  .openapi("Organization");

export const organizationWithUseSchema = organizationSchema
  .extend({
    use: z
      .object({
        active_sessions: countOf("Living sessions that count against `max_concurrent_sessions`.", 12),
        pooled_sessions: countOf("Browsers in its pools, including leased ones.", 5),
        api_keys: countOf("API keys that work.", 3),
      })
      .describe("Current usage."),
  })
  .openapi("OrganizationWithUse");

export const settingsSchema = z
  .object({
    settings: z
      .array(
        z.object({
          name: textOf("Name of the setting.", "MAX_CONCURRENT_SESSIONS"),
          value: textOf("Its value.", "500"),
          default: textOf("The value that Berth ships with.", "100"),
          is_changed: flagOf("Whether the two differ.", true),
          description: textOf("What it does, in Markdown.", "Concurrent sessions."),
        }),
      )
      .describe("All settings of the service."),
    secrets: z
      .array(
        z.object({
          name: textOf("Name of the secret.", "TOKEN_SECRET"),
          is_set: flagOf("Whether it has a value.", true),
        }),
      )
      .describe("All secrets, without their values."),
  })
  .openapi("Settings");

export const createdOrganizationSchema = organizationSchema
  .extend({ api_key: createdAPIKeySchema })
  .openapi("CreatedOrganization");

export const createOrganizationBodySchema = limitsSchema.partial().extend({
  name: organizationNameSchema,
  key_name: keyNameSchema
    .default("first key")
    .openapi({ description: "Name of its first API key.", example: "first key" }),
});

export const updateOrganizationBodySchema = limitsSchema.partial().extend({
  name: organizationNameSchema.optional(),
  weight: weightSchema.optional(),
  disabled: flagOf(
    "true: its keys are refused and its sessions end; false: its keys work again.",
    false,
  ).optional(),
});

export function presentOrganization(row: OrganizationRow): z.infer<typeof organizationSchema> {
  return {
    id: row.id,
    name: row.name,
    max_concurrent_sessions: row.maxConcurrentSessions,
    max_pooled_sessions: row.maxPooledSessions,
    weight: row.weight,
    soft_budget_usd: row.softBudgetUSD,
    hard_budget_usd: row.hardBudgetUSD,
    created_at: toDateTime(row.createdAt),
    disabled_at: toNullableDateTime(row.disabledAt),
  };
}

export function presentOrganizationWithUse(
  row: OrganizationWithUse,
): z.infer<typeof organizationWithUseSchema> {
  return {
    ...presentOrganization(row),
    use: {
      active_sessions: row.activeSessions,
      pooled_sessions: row.pooledSessions,
      api_keys: row.apiKeys,
    },
  };
}

export function presentSettings(env: Env): z.infer<typeof settingsSchema> {
  return {
    settings: listSettings(env).map((setting) => ({
      ...setting,
      is_changed: setting.value !== setting.default,
    })),
    secrets: [...listSecrets(env)].map(([name, is_set]) => ({ name, is_set })),
  };
}

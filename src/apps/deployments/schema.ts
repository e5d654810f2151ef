import { z } from "@hono/zod-openapi";
import { type AppRow, DEPLOYMENT_STATES, type DeploymentRow } from "../../database/schema/apps.ts";
import { eventName } from "../../http/event-stream-response.ts";
import { pageQuerySchema } from "../../http/pagination.ts";
import { sinceSchema } from "../../http/parse-since.ts";
import { errorBodySchema } from "../../http/wire-error.ts";

/** The only region that Kernel clients know. */
export const REGION = "aws.us-east-1a";

const regionSchema = z.literal(REGION).openapi({ description: "The only region." });

const envVarsSchema = z.record(z.string(), z.literal("")).openapi({
  description: "Names of the environment variables. Values are never shown.",
  example: { SHOP_USER: "" },
});

const actionSchema = z.object({
  name: z.string().openapi({ description: "Name of the action.", example: "order" }),
});

const appIdSchema = z
  .string()
  .openapi({ description: "Id of the app.", example: "a5s9d2f6g0h3j7k1l4z8x2cv" });
const appNameSchema = z.string().openapi({ description: "Name of the app.", example: "shop" });
const versionSchema = z.string().openapi({ description: "Version label of the app.", example: "latest" });
const actionsSchema = z.array(actionSchema).openapi({ description: "Actions that can be invoked." });

export const deploymentParamSchema = z.object({
  id: z.string().openapi({ description: "The deployment's id." }),
});

export const deploymentListQuerySchema = pageQuerySchema
  .extend({
    app_name: z.string().optional().openapi({ description: "Deployments of this app." }),
    app_version: z
      .string()
      .optional()
      .openapi({ description: "Deployments of this version of the app; only with `app_name`." }),
    query: z
      .string()
      .optional()
      .openapi({ description: "Part of an app's name, ignoring case, or a deployment's id." }),
  })
  .refine(({ app_name, app_version }) => app_version === undefined || app_name !== undefined, {
    path: ["app_version"],
    message: "is only for use with app_name",
  });

export const deploymentEventsQuerySchema = z.object({ since: sinceSchema });

export const deploymentSchema = z
  .object({
    id: z.string().openapi({ description: "Id of the deployment.", example: "x2pqk5u9n0wq7c4s1d8e6r3t" }),
    created_at: z.iso
      .datetime()
      .openapi({ description: "When it was created.", example: "2026-01-02T15:04:05.123Z" }),
    updated_at: z.iso.datetime().openapi({
      description: "When its status last changed.",
      example: "2026-01-02T15:04:12.456Z",
    }),
    region: regionSchema,
    status: z.enum(DEPLOYMENT_STATES).openapi({
      description: "State of the deployment. `failed` and `stopped` are final.",
      example: "running",
    }),
    status_reason: z.string().optional().openapi({
      description: "Why it has this status, if there is a reason.",
    }),
    version: z.string().openapi({ description: "Version label of its apps.", example: "latest" }),
    entrypoint_rel_path: z
      .string()
      .openapi({ description: "Path of the entry point in the zip.", example: "index.ts" }),
    env_vars: envVarsSchema,
    source_type: z.literal("file").openapi({ description: "Always `file`: an uploaded zip." }),
    source_checksum: z.string().openapi({
      description: "SHA-256 of the zip in hexadecimal.",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
  })
  .openapi("Deployment", {
    example: {
      id: "x2pqk5u9n0wq7c4s1d8e6r3t",
      created_at: "2026-01-02T15:04:05.123Z",
      updated_at: "2026-01-02T15:04:12.456Z",
      region: REGION,
      status: "running",
      version: "latest",
      entrypoint_rel_path: "index.ts",
      env_vars: { SHOP_USER: "" },
      source_type: "file",
      source_checksum: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    },
  });

export type DeploymentBody = z.infer<typeof deploymentSchema>;

export const appListQuerySchema = pageQuerySchema.extend({
  app_name: z.string().optional().openapi({ description: "The app of this name." }),
  version: z.string().optional().openapi({ description: "Apps of this version label." }),
  query: z
    .string()
    .optional()
    .openapi({ description: "Part of an app's name, ignoring case, or an app's or deployment's id." }),
});

export const appSchema = z
  .object({
    id: appIdSchema,
    app_name: appNameSchema,
    version: versionSchema,
    deployment: z.string().openapi({
      description: "Id of its deployment.",
      example: "x2pqk5u9n0wq7c4s1d8e6r3t",
    }),
    region: regionSchema,
    actions: actionsSchema,
    env_vars: envVarsSchema,
  })
  .openapi("App");

const timestamp = z.iso
  .datetime()
  .openapi({ description: "When it happened.", example: "2026-01-02T15:04:05.123Z" });

export const deploymentEventSchema = z
  .discriminatedUnion("event", [
    z.object({
      event: eventName("log"),
      message: z.string().openapi({ description: "The log line.", example: "Installing packages" }),
      timestamp,
    }),
    z.object({ event: eventName("deployment_state"), deployment: deploymentSchema, timestamp }),
    z.object({
      event: eventName("app_version_summary"),
      id: appIdSchema,
      app_name: appNameSchema,
      version: versionSchema,
      region: regionSchema,
      actions: actionsSchema,
      timestamp,
    }),
    z.object({ event: eventName("error"), error: errorBodySchema, timestamp }),
    z.object({ event: eventName("sse_heartbeat"), timestamp }),
  ])
  .openapi("DeploymentEvent");

export type DeploymentEvent = z.infer<typeof deploymentEventSchema>;

export function presentDeployment(row: Omit<DeploymentRow, "envVars">): DeploymentBody {
  return {
    id: row.id,
    created_at: presentTime(row.createdAt),
    updated_at: presentTime(row.updatedAt),
    region: REGION,
    status: row.state,
    ...(row.stateReason === null ? {} : { status_reason: row.stateReason }),
    version: row.version,
    entrypoint_rel_path: row.entrypoint,
    env_vars: redact(row.envNames),
    source_type: "file",
    source_checksum: row.sourceChecksum,
  };
}

export function presentApp({
  app,
  deployment,
}: {
  app: AppRow;
  deployment: Pick<DeploymentRow, "envNames">;
}): z.infer<typeof appSchema> {
  return {
    id: app.id,
    app_name: app.name,
    version: app.version,
    deployment: app.deploymentId,
    region: REGION,
    actions: presentActions(app.actions),
    env_vars: redact(deployment.envNames),
  };
}

export function presentActions(names: string[]): z.infer<typeof actionSchema>[] {
  return names.map((name) => ({ name }));
}

export function presentTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function redact(names: string[]): Record<string, ""> {
  return Object.fromEntries(names.map((name) => [name, ""]));
}

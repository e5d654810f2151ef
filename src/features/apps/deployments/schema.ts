import { z } from "@hono/zod-openapi";
import { type AppRow, DEPLOYMENT_STATES, type DeploymentRow } from "../../../lib/database/schema/apps.ts";
import { eventName } from "../../../lib/http/event-stream-response.ts";
import { textOf, timeOf } from "../../../lib/http/fields.ts";
import { pageQuerySchema } from "../../../lib/http/pagination.ts";
import { sinceSchema } from "../../../lib/http/parse-since.ts";
import { errorBodySchema } from "../../../lib/http/wire-error.ts";

/** The only region that Kernel clients know. */
export const REGION = "aws.us-east-1a";

const regionSchema = z.literal(REGION).describe("The only region.");

const envVarsSchema = z.record(z.string(), z.literal("")).openapi({
  description: "Names of the environment variables. Values are never shown.",
  example: { SHOP_USER: "" },
});

const actionSchema = z.object({
  name: textOf("Name of the action.", "order"),
});

const appIdSchema = textOf("Id of the app.", "a5s9d2f6g0h3j7k1l4z8x2cv");
const appNameSchema = textOf("Name of the app.", "shop");
const versionSchema = textOf("Version label of the app.", "latest");
const actionsSchema = z.array(actionSchema).describe("Actions that can be invoked.");

export const deploymentParamSchema = z.object({
  id: textOf("The deployment's id."),
});

export const deploymentListQuerySchema = pageQuerySchema
  .extend({
    app_name: textOf("Deployments of this app.").optional(),
    app_version: textOf("Deployments of this version of the app; only with `app_name`.").optional(),
    query: textOf("Part of an app's name, ignoring case, or a deployment's id.").optional(),
  })
  .refine(({ app_name, app_version }) => app_version === undefined || app_name !== undefined, {
    path: ["app_version"],
    message: "is only for use with app_name",
  });

export const deploymentEventsQuerySchema = z.object({ since: sinceSchema });

export const deploymentSchema = z
  .object({
    id: textOf("Id of the deployment.", "x2pqk5u9n0wq7c4s1d8e6r3t"),
    created_at: timeOf("When it was created."),
    updated_at: timeOf("When its status last changed.", "2026-01-02T15:04:12.456Z"),
    region: regionSchema,
    status: z.enum(DEPLOYMENT_STATES).openapi({
      description: "State of the deployment. `failed` and `stopped` are final.",
      example: "running",
    }),
    status_reason: textOf("Why it has this status, if there is a reason.").optional(),
    version: textOf("Version label of its apps.", "latest"),
    entrypoint_rel_path: textOf("Path of the entry point in the zip.", "index.ts"),
    env_vars: envVarsSchema,
    source_type: z.literal("file").describe("Always `file`: an uploaded zip."),
    source_checksum: textOf(
      "SHA-256 of the zip in hexadecimal.",
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ),
  })
  .openapi("Deployment", {
    description: "A deployment of an app.",
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
  app_name: textOf("The app of this name.").optional(),
  version: textOf("Apps of this version label.").optional(),
  query: textOf("Part of an app's name, ignoring case, or an app's or deployment's id.").optional(),
});

export const appSchema = z
  .object({
    id: appIdSchema,
    app_name: appNameSchema,
    version: versionSchema,
    deployment: textOf("Id of its deployment.", "x2pqk5u9n0wq7c4s1d8e6r3t"),
    region: regionSchema,
    actions: actionsSchema,
    env_vars: envVarsSchema,
  })
  .openapi("App");

const timestamp = timeOf("When it happened.");

export const deploymentEventSchema = z
  .discriminatedUnion("event", [
    z.object({
      event: eventName("log"),
      message: textOf("The log line.", "Installing packages"),
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

import { z } from "@hono/zod-openapi";
import { type AppRow, DEPLOYMENT_STATES, type DeploymentRow } from "../../database/schema/apps.ts";
import { pageQuerySchema } from "../../http/pagination.ts";
import { errorBodySchema } from "../../http/wire-error.ts";
import { sinceSchema } from "../invocations/since.ts";

/** There is one, whatever it is: clients know no other. */
export const REGION = "aws.us-east-1a";

const regionSchema = z.literal(REGION);

const envVarsSchema = z
  .record(z.string(), z.literal(""))
  .openapi({ description: "Names of the environment variables. Values are never shown." });

const actionSchema = z.object({ name: z.string() });

export const deploymentParamSchema = z.object({
  id: z.string().openapi({ description: "The deployment's id." }),
});

export const deploymentListQuerySchema = pageQuerySchema
  .extend({
    app_name: z.string().optional().openapi({ description: "Deployments that brought this app." }),
    app_version: z
      .string()
      .optional()
      .openapi({ description: "Deployments that brought the app in this version; only with `app_name`." }),
    query: z
      .string()
      .optional()
      .openapi({ description: "Part of an app's name in either case, or a deployment's id." }),
  })
  .refine(({ app_name, app_version }) => app_version === undefined || app_name !== undefined, {
    path: ["app_version"],
    message: "is only for use with app_name",
  });

export const deploymentEventsQuerySchema = z.object({ since: sinceSchema });

export const deploymentSchema = z
  .object({
    id: z.string().openapi({ example: "x2pqk5u9n0wq7c4s1d8e6r3t" }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    region: regionSchema,
    status: z.enum(DEPLOYMENT_STATES),
    status_reason: z.string().optional(),
    version: z.string().openapi({ description: "The version label of its apps." }),
    entrypoint_rel_path: z.string(),
    env_vars: envVarsSchema,
    source_type: z.literal("file"),
    source_checksum: z.string().openapi({ description: "SHA-256 of the zip in hexadecimal." }),
  })
  .openapi("Deployment");

export type DeploymentBody = z.infer<typeof deploymentSchema>;

export const appListQuerySchema = pageQuerySchema.extend({
  app_name: z.string().optional().openapi({ description: "The app of this name." }),
  version: z.string().optional().openapi({ description: "Apps of this version label." }),
  query: z
    .string()
    .optional()
    .openapi({ description: "Part of an app's name in either case, or an app's or deployment's id." }),
});

export const appSchema = z
  .object({
    id: z.string(),
    app_name: z.string(),
    version: z.string(),
    deployment: z.string().openapi({ description: "Id of the deployment that brought it." }),
    region: regionSchema,
    actions: z.array(actionSchema),
    env_vars: envVarsSchema,
  })
  .openapi("App");

const timestamp = z.iso.datetime();

export const deploymentEventSchema = z
  .discriminatedUnion("event", [
    z.object({ event: z.literal("log"), message: z.string(), timestamp }),
    z.object({ event: z.literal("deployment_state"), deployment: deploymentSchema, timestamp }),
    z.object({
      event: z.literal("app_version_summary"),
      id: z.string(),
      app_name: z.string(),
      version: z.string(),
      region: regionSchema,
      actions: z.array(actionSchema),
      timestamp,
    }),
    z.object({ event: z.literal("error"), error: errorBodySchema, timestamp }),
    z.object({ event: z.literal("sse_heartbeat"), timestamp }),
  ])
  .openapi("DeploymentEvent");

export type DeploymentEvent = z.infer<typeof deploymentEventSchema>;

/** A deployment as callers see it. */
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

/** An app as callers see it. */
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

import { z } from "@hono/zod-openapi";
import type { ProjectRow } from "../../lib/database/schema/organizations.ts";
import { countOf, textOf, timeOf, toDateTime } from "../../lib/http/fields.ts";
import { pageQuerySchema } from "../../lib/http/pagination.ts";

const nameSchema = z
  .string()
  .trim()
  .refine((name) => name !== "" && [...name].length <= 255, "must have 1 to 255 characters")
  .openapi({
    description: "Unique in the organization, ignoring the case of ASCII letters.",
    example: "staging",
  });

const statusSchema = z.enum(["active", "archived"]).openapi({
  description: "Calls that name an archived project are refused. Whatever is running in it continues.",
  example: "active",
});

export const projectSchema = z
  .object({
    id: textOf(
      "Id of the project. The default project has the id of the organization.",
      "p3v8x1n6c0z5k9m2b7r4t1wq",
    ),
    name: nameSchema,
    status: statusSchema,
    created_at: timeOf("When it was created."),
    updated_at: timeOf("When it was last changed."),
  })
  .openapi("Project");

export const projectParamSchema = z.object({
  id: textOf("Id or name of the project."),
});

export const createProjectBodySchema = z.object({ name: nameSchema });

export const updateProjectBodySchema = z.object({
  name: nameSchema.optional(),
  status: statusSchema.optional(),
});

export const projectListQuerySchema = pageQuerySchema.extend({
  name: textOf("Exact name.").optional(),
  query: textOf("Part of a name, or an id.").optional(),
});

const limitChangeSchema = countOf("0 or null: no limit of its own; absent: as it is.", 10).min(0).nullish();

export const projectLimitsSchema = z
  .object({
    max_concurrent_sessions: countOf(
      "Maximum number of browsers: sessions, and the sizes of pools. Null: the organization's default for projects.",
      10,
    ).nullable(),
    max_concurrent_invocations: countOf(
      "Maximum number of unfinished invocations; null: only the service's limit applies.",
      5,
    ).nullable(),
    max_pooled_sessions: z.null().describe("Always null: pools count against `max_concurrent_sessions`."),
  })
  .openapi("ProjectLimits");

export const updateProjectLimitsBodySchema = z.object({
  max_concurrent_sessions: limitChangeSchema,
  max_concurrent_invocations: limitChangeSchema,
  max_pooled_sessions: z
    .null({ error: "cannot be set: pools count against max_concurrent_sessions" })
    .optional()
    .openapi({ description: "Cannot be set.", example: null }),
});

export function presentProject(row: ProjectRow): z.infer<typeof projectSchema> {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    created_at: toDateTime(row.createdAt),
    updated_at: toDateTime(row.updatedAt),
  };
}

export function presentLimits(row: ProjectRow): z.infer<typeof projectLimitsSchema> {
  return {
    max_concurrent_sessions: row.maxConcurrentSessions,
    max_concurrent_invocations: row.maxConcurrentInvocations,
    max_pooled_sessions: null,
  };
}

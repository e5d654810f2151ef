import {
  type Caller,
  type CallerEnv,
  deleteProject,
  findProject,
  forgetOrganization,
  insertProject,
  listProjects,
  type ProjectReach,
  requireAPIKey,
  updateProject,
} from "../../features/organizations/index.ts";
import { requireFound, ServiceError } from "../../lib/common/errors.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectRow } from "../../lib/database/schema/organizations.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";
import {
  createProjectBodySchema,
  presentLimits,
  presentProject,
  projectLimitsSchema,
  projectListQuerySchema,
  projectParamSchema,
  projectSchema,
  updateProjectBodySchema,
  updateProjectLimitsBodySchema,
} from "./schema.ts";

const route = routesOf("Organization", API_KEY_SECURITY);

export const projectRoutes = newRouter<CallerEnv>();

projectRoutes.openapi(
  route("post", "/org/projects", {
    operationId: "createProject",
    summary: "Create a project",
    description:
      "Resources of one project are not visible in another. A call selects its project with the header `X-Kernel-Project-Id`, " +
      "or `X-Kernel-Project`, which also takes a name.",
    request: { body: jsonRequest(createProjectBodySchema) },
    responses: { 200: jsonResponse(projectSchema, "The project.") },
    errors: [409],
  }),
  async (c) => {
    const { name } = c.req.valid("json");
    const now = Date.now();
    const row: ProjectRow = {
      id: newIdentifier(),
      organizationId: c.var.caller.organizationId,
      name,
      status: "active",
      maxConcurrentSessions: null,
      maxConcurrentInvocations: null,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
    await insertProject(openDatabase(c.env.DB), row, readSettings(c.env).quotas);
    return c.json(presentProject(row), 200);
  },
);

projectRoutes.openapi(
  route("get", "/org/projects", {
    operationId: "listProjects",
    summary: "List projects",
    description: "Newest first, including archived ones. A project's key sees only that project.",
    request: { query: projectListQuerySchema },
    responses: { 200: pageResponse(projectSchema, "A page of projects.") },
  }),
  async (c) => {
    const query = c.req.valid("query");
    const rows = await listProjects(openDatabase(c.env.DB), reachOf(c.var.caller), query, query);
    const { items, headers } = toPage(rows, query);
    return c.json(items.map(presentProject), 200, headers);
  },
);

projectRoutes.openapi(
  route("get", "/org/projects/{id}", {
    operationId: "getProject",
    summary: "Get a project",
    description: "Matches an id first, then a name.",
    request: { params: projectParamSchema },
    responses: { 200: jsonResponse(projectSchema, "The project.") },
  }),
  async (c) =>
    c.json(presentProject(await requireProject(c.env, c.var.caller, c.req.valid("param").id)), 200),
);

projectRoutes.openapi(
  route("patch", "/org/projects/{id}", {
    operationId: "renameArchiveOrRestoreProject",
    summary: "Rename, archive or restore a project",
    description: "A project's key may only rename it. The default project cannot be archived.",
    request: { params: projectParamSchema, body: jsonRequest(updateProjectBodySchema) },
    responses: { 200: jsonResponse(projectSchema, "The project.") },
    errors: [409],
  }),
  async (c) => {
    const { name, status } = c.req.valid("json");
    const { caller } = c.var;
    const before = await requireProject(c.env, caller, c.req.valid("param").id);
    if (status !== undefined && reachOf(caller).onlyId !== undefined) {
      throw new ServiceError("forbidden", "The key of a project may only rename it");
    }
    if (status === "archived") requireNotDefault(before);
    return c.json(presentProject(await change(c.env, before, { name, status })), 200);
  },
);

projectRoutes.openapi(
  route("delete", "/org/projects/{id}", {
    operationId: "deleteEmptyProject",
    summary: "Delete an empty project",
    description:
      "409 while it has sessions, pools, profiles, proxies, extensions, deployments or invocations, and for the default " +
      "project. Its API keys stop working.",
    request: { params: projectParamSchema },
    responses: { 204: { description: "Deleted." } },
    errors: [409],
  }),
  async (c) => {
    const row = await requireProject(c.env, c.var.caller, c.req.valid("param").id);
    requireNotDefault(row);
    if (!(await deleteProject(openDatabase(c.env.DB), row, Date.now()))) {
      await requireProject(c.env, c.var.caller, row.id);
      const message =
        "The project has sessions, pools, profiles, proxies, extensions, deployments or invocations";
      throw new ServiceError("project_not_empty", message, { shouldRetry: false });
    }
    forgetOrganization(row.organizationId);
    return c.body(null, 204);
  },
);

projectRoutes.openapi(
  route("get", "/org/projects/{id}/limits", {
    operationId: "getProjectOwnLimits",
    summary: "Get a project's own limits",
    description: "Null where the project has no limit of its own.",
    request: { params: projectParamSchema },
    responses: { 200: jsonResponse(projectLimitsSchema, "The limits.") },
  }),
  async (c) => c.json(presentLimits(await requireProject(c.env, c.var.caller, c.req.valid("param").id)), 200),
);

projectRoutes.openapi(
  route("patch", "/org/projects/{id}/limits", {
    operationId: "changeProjectOwnLimits",
    summary: "Change a project's own limits",
    description: "They apply to whatever is created from now on, within the limits of the organization.",
    request: { params: projectParamSchema, body: jsonRequest(updateProjectLimitsBodySchema) },
    responses: { 200: jsonResponse(projectLimitsSchema, "The limits.") },
  }),
  async (c) => {
    const { max_concurrent_sessions: sessions, max_concurrent_invocations: invocations } =
      c.req.valid("json");
    const before = await requireProject(c.env, c.var.caller, c.req.valid("param").id);
    const row = await change(c.env, before, {
      maxConcurrentSessions: toLimit(sessions),
      maxConcurrentInvocations: toLimit(invocations),
    });
    return c.json(presentLimits(row), 200);
  },
);

function reachOf(caller: Caller): ProjectReach {
  const { organizationId, rights } = requireAPIKey(caller);
  return { organizationId, onlyId: rights.projectId ?? undefined };
}

/** @throws ServiceError 404 where the caller sees no such project. */
async function requireProject(env: Env, caller: Caller, idOrName: string): Promise<ProjectRow> {
  return requireFound(await findProject(openDatabase(env.DB), reachOf(caller), idOrName), "project");
}

/** @throws ServiceError 409 */
function requireNotDefault({ id, organizationId }: ProjectRow): void {
  if (id !== organizationId) return;
  const message = "The default project stays active: calls that name no project use it";
  throw new ServiceError("last_active_project", message, { shouldRetry: false });
}

/** 0 and null clear a limit. */
function toLimit(limit: number | null | undefined): number | null | undefined {
  return limit === 0 ? null : limit;
}

/** @throws ServiceError 404 when it was deleted in the meantime, 409 for a name in use. */
async function change(env: Env, before: ProjectRow, change: Partial<ProjectRow>): Promise<ProjectRow> {
  const row = requireFound(await updateProject(openDatabase(env.DB), before, change), "project");
  forgetOrganization(row.organizationId);
  return row;
}

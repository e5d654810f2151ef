import {
  ALL_RIGHTS,
  createdOrganizationSchema,
  createOrganizationBodySchema,
  deleteOrganization,
  findOrganization,
  findOrganizationWithUse,
  forgetOrganization,
  idParamSchema,
  insertOrganization,
  listOrganizations,
  newAPIKey,
  organizationSchema,
  organizationWithUseSchema,
  presentAPIKey,
  presentOrganization,
  presentOrganizationWithUse,
  presentSettings,
  settingsSchema,
  updateOrganization,
  updateOrganizationBodySchema,
} from "../../features/organizations/index.ts";
import { countLiving } from "../../features/sessions/index.ts";
import { deleteDestinationsOf } from "../../features/telemetry/index.ts";
import { notFound, requireFound } from "../../lib/common/errors.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { logEvent } from "../../lib/common/log.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { jsonRequest, jsonResponse, OPERATOR_SECURITY, routesOf } from "../../lib/http/openapi.ts";
import { pageQuerySchema, pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";

const route = routesOf("Operator", OPERATOR_SECURITY);

export interface AdminOptions {
  /** Ends what a disabled or deleted organization runs, and removes what a deleted one has stored. */
  endOrphaned: (env: Env, organizationId: string) => Promise<void>;
}

export function adminRoutes({ endOrphaned }: AdminOptions) {
  const routes = newRouter<{ Bindings: Env }>();

  routes.openapi(
    route("post", "/admin/organizations", {
      operationId: "createOrganizationWithItsFirstAPIKey",
      summary: "Create an organization with its first API key",
      description: "The key never expires. It is shown only in this response.",
      request: { body: jsonRequest(createOrganizationBodySchema) },
      responses: {
        200: jsonResponse(createdOrganizationSchema, "The organization; its key is shown this once."),
      },
    }),
    async (c) => {
      const body = c.req.valid("json");
      const now = Date.now();
      const organizationId = newIdentifier();
      const details = { organizationId, name: body.key_name, createdBy: "operator", expiresAt: null };
      const { key, row } = await newAPIKey({ ...ALL_RIGHTS, ...details }, now);
      const organization = await insertOrganization(
        openDatabase(c.env.DB),
        {
          id: organizationId,
          name: body.name,
          maxConcurrentSessions: body.max_concurrent_sessions,
          maxPooledSessions: body.max_pooled_sessions,
          softBudgetUSD: body.soft_budget_usd,
          hardBudgetUSD: body.hard_budget_usd,
          createdAt: now,
        },
        row,
      );
      logEvent("organization_created", { organization_id: organizationId });
      return c.json({ ...presentOrganization(organization), api_key: { ...presentAPIKey(row), key } }, 200);
    },
  );

  routes.openapi(
    route("get", "/admin/organizations", {
      operationId: "listOrganizations",
      summary: "List organizations",
      description: "Newest first, including disabled ones.",
      request: { query: pageQuerySchema },
      responses: { 200: pageResponse(organizationWithUseSchema, "A page of organizations.") },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const database = openDatabase(c.env.DB);
      const { items, headers } = toPage(
        await listOrganizations(database, page, Date.now(), countLiving),
        page,
      );
      return c.json(items.map(presentOrganizationWithUse), 200, headers);
    },
  );

  routes.openapi(
    route("get", "/admin/organizations/{id}", {
      operationId: "getOrganization",
      summary: "Get an organization",
      description: "A limit of null means the service's default.",
      request: { params: idParamSchema },
      responses: { 200: jsonResponse(organizationWithUseSchema, "The organization.") },
    }),
    async (c) => {
      const database = openDatabase(c.env.DB);
      const organization = await findOrganizationWithUse(
        database,
        c.req.valid("param").id,
        Date.now(),
        countLiving,
      );
      if (organization === undefined) throw notFound("organization");
      return c.json(presentOrganizationWithUse(organization), 200);
    },
  );

  routes.openapi(
    route("patch", "/admin/organizations/{id}", {
      operationId: "renameLimitWeighDisableOrEnableOrganization",
      summary: "Change, disable or enable an organization",
      description:
        "An absent field keeps its value. Disabling ends sessions and fails unfinished invocations; pools lose their browsers " +
        "but are kept.",
      request: { params: idParamSchema, body: jsonRequest(updateOrganizationBodySchema) },
      responses: { 200: jsonResponse(organizationSchema, "The organization.") },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const body = c.req.valid("json");
      const database = openDatabase(c.env.DB);
      const before = requireFound(await findOrganization(database, id), "organization");
      const organization = await updateOrganization(database, id, {
        name: body.name ?? before.name,
        maxConcurrentSessions: body.max_concurrent_sessions,
        maxPooledSessions: body.max_pooled_sessions,
        softBudgetUSD: body.soft_budget_usd,
        hardBudgetUSD: body.hard_budget_usd,
        // The next check finds out whether a changed budget is reached.
        budgetWarnedAt: body.soft_budget_usd === undefined ? undefined : null,
        overBudgetUntil: body.hard_budget_usd === undefined ? undefined : null,
        weight: body.weight,
        ...(body.disabled !== undefined && {
          disabledAt: body.disabled ? (before.disabledAt ?? Date.now()) : null,
        }),
      });
      if (organization === undefined) throw notFound("organization");
      forgetOrganization(id);
      if (body.disabled) await endOrphaned(c.env, id);
      return c.json(presentOrganization(organization), 200);
    },
  );

  routes.openapi(
    route("delete", "/admin/organizations/{id}", {
      operationId: "deleteOrganizationItsKeysAndWhatItRuns",
      summary: "Delete an organization, its keys, and what it runs",
      description: "This cannot be undone. To suspend an organization, disable it.",
      request: { params: idParamSchema },
      responses: { 204: { description: "Deleted." } },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const database = openDatabase(c.env.DB);
      const deleted = await deleteOrganization(database, id, [deleteDestinationsOf(database, id)]);
      if (!deleted) throw notFound("organization");
      forgetOrganization(id);
      await endOrphaned(c.env, id);
      return c.body(null, 204);
    },
  );

  routes.openapi(
    route("get", "/admin/settings", {
      operationId: "listSettings",
      summary: "List settings",
      description:
        "All settings with their current values, including invalid ones, and whether each secret is set. Change them in " +
        "wrangler.toml.",
      responses: { 200: jsonResponse(settingsSchema, "The settings.") },
    }),
    (c) => c.json(presentSettings(c.env), 200),
  );

  return routes;
}

import { type Caller, type CallerEnv, requireAPIKey } from "../../features/organizations/index.ts";
import {
  changeDestination,
  createDestination,
  createDestinationBodySchema,
  deleteDestination,
  destinationListQuerySchema,
  destinationParamSchema,
  destinationSchema,
  destinationTestSchema,
  findDestination,
  listDestinations,
  presentDestination,
  sendTestRecord,
  updateDestinationBodySchema,
} from "../../features/telemetry/index.ts";
import { notFound } from "../../lib/common/errors.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { OTLPDestinationRow } from "../../lib/database/schema/telemetry.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";

const PATH = "/org/otlp_destinations";
const route = routesOf("Organization", API_KEY_SECURITY);
const presented = jsonResponse(destinationSchema, "The destination, without the values of its headers.");

export const otlpDestinationRoutes = newRouter<CallerEnv>();

otlpDestinationRoutes.openapi(
  route("post", PATH, {
    operationId: "createOTLPDestination",
    summary: "Create an OTLP destination",
    description: "Sessions that select it export their telemetry to it as logs, over OTLP/HTTP.",
    request: { body: jsonRequest(createDestinationBodySchema) },
    responses: { 201: presented },
    errors: [409],
  }),
  async (c) => {
    const { organizationId } = requireAPIKey(c.var.caller);
    return c.json(
      presentDestination(await createDestination(c.env, organizationId, c.req.valid("json"))),
      201,
    );
  },
);

otlpDestinationRoutes.openapi(
  route("get", PATH, {
    operationId: "listOTLPDestinations",
    summary: "List OTLP destinations",
    description: "Newest first.",
    request: { query: destinationListQuerySchema },
    responses: { 200: pageResponse(destinationSchema, "A page of destinations.") },
  }),
  async (c) => {
    const query = c.req.valid("query");
    const { organizationId } = requireAPIKey(c.var.caller);
    const { items, headers } = toPage(
      await listDestinations(openDatabase(c.env.DB), organizationId, query),
      query,
    );
    return c.json(items.map(presentDestination), 200, headers);
  },
);

otlpDestinationRoutes.openapi(
  route("get", `${PATH}/{id_or_name}`, {
    operationId: "getOTLPDestination",
    summary: "Get an OTLP destination",
    description: "Header values are never shown.",
    request: { params: destinationParamSchema },
    responses: { 200: presented },
  }),
  async (c) => {
    const row = await requireDestination(c.env, c.var.caller, c.req.valid("param"));
    return c.json(presentDestination(row), 200);
  },
);

otlpDestinationRoutes.openapi(
  route("patch", `${PATH}/{id_or_name}`, {
    operationId: "changeOTLPDestination",
    summary: "Change an OTLP destination",
    description:
      "Running sessions use the new values within 30 seconds. When the endpoint moves to another origin, each stored " +
      "header must be supplied again or removed.",
    request: { params: destinationParamSchema, body: jsonRequest(updateDestinationBodySchema) },
    responses: { 200: presented },
    errors: [409],
  }),
  async (c) => {
    const row = await requireDestination(c.env, c.var.caller, c.req.valid("param"));
    return c.json(presentDestination(await changeDestination(c.env, row, c.req.valid("json"))), 200);
  },
);

otlpDestinationRoutes.openapi(
  route("delete", `${PATH}/{id_or_name}`, {
    operationId: "deleteOTLPDestination",
    summary: "Delete an OTLP destination",
    description: "Running sessions stop exporting to it within 30 seconds.",
    request: { params: destinationParamSchema },
    responses: { 204: { description: "Deleted." } },
  }),
  async (c) => {
    const { id } = await requireDestination(c.env, c.var.caller, c.req.valid("param"));
    await deleteDestination(openDatabase(c.env.DB), id);
    return c.body(null, 204);
  },
);

otlpDestinationRoutes.openapi(
  route("post", `${PATH}/{id_or_name}/test`, {
    operationId: "testOTLPDestination",
    summary: "Test an OTLP destination",
    description: "Sends one log record once, and returns the receiver's status.",
    request: { params: destinationParamSchema },
    responses: { 200: jsonResponse(destinationTestSchema, "The result.") },
  }),
  async (c) => {
    const row = await requireDestination(c.env, c.var.caller, c.req.valid("param"));
    const { status, failure } = await sendTestRecord(c.env, row);
    return c.json({ success: failure === undefined, status, message: failure }, 200);
  },
);

/** @throws ServiceError 403 without an API key, 404 when the organization has no such destination. */
async function requireDestination(
  env: Env,
  caller: Caller,
  { id_or_name }: { id_or_name: string },
): Promise<OTLPDestinationRow> {
  const row = await findDestination(openDatabase(env.DB), requireAPIKey(caller).organizationId, id_or_name);
  if (row === undefined) throw notFound("OTLP destination");
  return row;
}

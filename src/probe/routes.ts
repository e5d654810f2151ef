import { createRoute, z } from "@hono/zod-openapi";
import { type CheckName, listCapabilities, recordCapability } from "../capabilities/index.ts";
import { notFound, ServiceError, serviceUnavailable } from "../common/errors.ts";
import { unwrap } from "../common/outcome.ts";
import { openDatabase } from "../database/client.ts";
import { jsonBody } from "../http/json-body.ts";
import { errorResponses, jsonRequest, jsonResponse, OPERATOR_SECURITY } from "../http/openapi.ts";
import { newRouter } from "../http/router.ts";
import { NO_COST, type ProbeOptions } from "./context.ts";
import {
  capabilitySchema,
  checkParamSchema,
  isCheck,
  isClientCheck,
  listProbes,
  presentCapability,
  probeSchema,
  reportBodySchema,
  startedProbeSchema,
  startProbeBodySchema,
} from "./schema.ts";

const shared = { tags: ["Operator"], security: OPERATOR_SECURITY };

export const probeRoutes = newRouter<{ Bindings: Env }>();

probeRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/admin/probes",
    summary: "List the checks of the probe",
    description: "What `npm run probe` tries of the platform, in its order.",
    responses: { 200: jsonResponse(z.array(probeSchema), "The checks."), ...errorResponses() },
  }),
  (c) => c.json(listProbes(), 200),
);

probeRoutes.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/admin/probes/{check}",
    summary: "Try what the platform does",
    description:
      "Runs one check at a time, with browsers of its own, and stores the result. It answers with the result, which takes " +
      "up to two minutes, or with 202 for a long check, whose result appears in GET /admin/capabilities.",
    middleware: jsonBody,
    request: { params: checkParamSchema, body: jsonRequest(startProbeBodySchema) },
    responses: {
      200: jsonResponse(capabilitySchema, "The result."),
      202: jsonResponse(startedProbeSchema, "It has started."),
      ...errorResponses(400, 404, 409),
    },
  }),
  async (c) => {
    const { check } = c.req.valid("param");
    if (!isCheck(check)) throw notFound("check");
    const startedAt = new Date().toISOString();
    const row = await runCheck(c.env, check, c.req.valid("json"));
    if (row === undefined) return c.json({ name: check, started_at: startedAt }, 202);
    return c.json(presentCapability(row), 200);
  },
);

probeRoutes.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/admin/capabilities/{check}",
    summary: "Report a result of the probe",
    description: "For the checks that only a client can try, such as a reconnect after a deployment.",
    middleware: jsonBody,
    request: { params: checkParamSchema, body: jsonRequest(reportBodySchema) },
    responses: { 204: { description: "Stored." }, ...errorResponses(400, 404) },
  }),
  async (c) => {
    const { check } = c.req.valid("param");
    if (!isClientCheck(check)) throw notFound("check of a client");
    const { duration_ms, ...finding } = c.req.valid("json");
    const result = { ...finding, durationMs: duration_ms, measuredAt: Date.now(), cost: NO_COST };
    await recordCapability(c.env, { name: check, ...result });
    return c.body(null, 204);
  },
);

probeRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/admin/capabilities",
    summary: "List what the platform was seen to do",
    description:
      "The last result of each check that was tried. Requests that need what differs are refused with 501 until the " +
      "check holds. A check without a result counts as one that holds.",
    responses: { 200: jsonResponse(z.array(capabilitySchema), "The results."), ...errorResponses() },
  }),
  async (c) => c.json((await listCapabilities(openDatabase(c.env.DB))).map(presentCapability), 200),
);

/** A check may exceed the object's memory, which restarts it. */
async function runCheck(env: Env, check: CheckName, options: ProbeOptions) {
  const probe = env.PLATFORM_PROBE.getByName("probe");
  try {
    return unwrap(await probe.start(check, options));
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    await probe.recover();
    const row = (await listCapabilities(openDatabase(env.DB))).find(({ name }) => name === check);
    if (row === undefined) throw serviceUnavailable("The check was interrupted; try again", 5, error);
    return row;
  }
}

import { z } from "@hono/zod-openapi";
import type { ProbeOptions } from "../../features/probe/index.ts";
import { serviceUnavailable } from "../../lib/common/errors.ts";
import { unwrap } from "../../lib/common/outcome.ts";
import type { CapabilityRow } from "../../lib/database/schema/capabilities.ts";
import { jsonRequest, jsonResponse, OPERATOR_SECURITY, routesOf } from "../../lib/http/openapi.ts";
import { newRouter } from "../../lib/http/router.ts";
import {
  CHECK_NAMES,
  type CheckName,
  listCapabilities,
  recordCapability,
} from "../../platform/capabilities/index.ts";
import {
  capabilitySchema,
  checkParamSchema,
  findingBodySchema,
  presentCapability,
  startProbeBodySchema,
} from "./schema.ts";

const route = routesOf("Operator", OPERATOR_SECURITY);

export const probeRoutes = newRouter<{ Bindings: Env }>();

probeRoutes.openapi(
  route("get", "/admin/capabilities", {
    operationId: "listWhatPlatformWasSeenToDo",
    summary: "List what the platform supports",
    description:
      "All checks of `npm run probe` with their last results. Requests that depend on something that differs are refused with 501 until " +
      "the check holds. What was never tried counts as supported.",
    responses: { 200: jsonResponse(z.array(capabilitySchema), "The checks.") },
  }),
  async (c) => {
    const rows = new Map((await listCapabilities(c.env)).map((row) => [row.name, row]));
    const all = CHECK_NAMES.map((name) => presentCapability(name, rows.get(name)));
    return c.json(all, 200);
  },
);

probeRoutes.openapi(
  route("post", "/admin/capabilities/{check}/probe", {
    operationId: "tryWhatPlatformDoes",
    summary: "Test what the platform supports",
    description:
      "Runs a check with its own browsers, and stores the result. A difference is checked again at once, and must occur " +
      "again. Each try takes up to two minutes; 409 while another check runs. A long check returns 202, and its result " +
      "appears in the list.",
    request: { params: checkParamSchema("service"), body: jsonRequest(startProbeBodySchema) },
    responses: {
      200: jsonResponse(capabilitySchema, "The result."),
      202: { description: "It has started." },
    },
    errors: [409],
  }),
  async (c) => {
    const { check } = c.req.valid("param");
    const row = await runCheck(c.env, check, c.req.valid("json"));
    return row === undefined ? c.body(null, 202) : c.json(presentCapability(check, row), 200);
  },
);

probeRoutes.openapi(
  route("put", "/admin/capabilities/{check}", {
    operationId: "reportWhatPlatformDoes",
    summary: "Report what the platform supports",
    description: "For checks that only a client can make, such as a reconnect after a deployment.",
    request: { params: checkParamSchema("client"), body: jsonRequest(findingBodySchema) },
    responses: { 204: { description: "Stored." } },
  }),
  async (c) => {
    const { check: name } = c.req.valid("param");
    const { duration_ms: durationMs, ...finding } = c.req.valid("json");
    await recordCapability(c.env, { name, ...finding, durationMs, measuredAt: Date.now(), cost: {} });
    return c.body(null, 204);
  },
);

/** A check may exceed the memory of its object, which then restarts. The second time counts. */
async function runCheck(
  env: Env,
  check: CheckName,
  options: ProbeOptions,
): Promise<CapabilityRow | undefined> {
  // The stub of an object that has restarted may fail forever.
  const probe = () => env.PLATFORM_PROBE.getByName("probe");
  const start = async () => probe().start(check, options);
  const recover = async (cause: unknown) => {
    const value = await probe().recover(String(cause));
    if (value === undefined) throw serviceUnavailable("The check was interrupted; try again", 5, cause);
    return { ok: true as const, value };
  };
  return unwrap(await start().catch(start).catch(recover));
}

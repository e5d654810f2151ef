import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Outcome } from "../../common/outcome.ts";
import { EVENT_STREAM_HEADERS, eventStreamResponse } from "../../http/event-stream-response.ts";
import { jsonBody } from "../../http/json-body.ts";
import {
  API_KEY_SECURITY,
  errorResponses,
  jsonRequest,
  jsonResponse,
  jsonStreamResponse,
} from "../../http/openapi.ts";
import { newRouter } from "../../http/router.ts";
import type { SessionMachine } from "../../machine/index.ts";
import type { CallerEnv } from "../../organizations/index.ts";
import { callMachine, machineObject } from "./call-machine.ts";
import { streamExecAnswer } from "./exec-answer.ts";
import {
  doneSchema,
  execResultSchema,
  execSchema,
  killSchema,
  processInputSchema,
  processOutputSchema,
  processStatusSchema,
  resizeSchema,
  spawnedSchema,
  spawnSchema,
  writtenSchema,
} from "./machine-schema.ts";

/** `/browsers/{id}/process`: what runs on a session's machine. */
export const processRoutes = newRouter<CallerEnv>();

const shared = { tags: ["Processes"], security: API_KEY_SECURITY };
const id = z.string().openapi({ description: "The session's id or name." });
const ofSession = z.object({ id });
const ofProcess = z.object({ id, processId: z.string().openapi({ description: "The process's id." }) });
const errors = errorResponses(400, 404, 413, 429);

processRoutes.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/browsers/{id}/process/exec",
    summary: "Run a command to its end",
    description:
      "Killed when its time is up (500 `process timed out`) and when its caller leaves. An exit code that is not 0 is no " +
      "error of the call.",
    middleware: jsonBody,
    request: { params: ofSession, body: jsonRequest(execSchema) },
    responses: { 200: jsonStreamResponse(execResultSchema, "How it ended and what it wrote."), ...errors },
  }),
  async (c) => {
    const request = c.req.valid("json");
    const callId = crypto.randomUUID();
    const result = await call(c, (processes, sessionId) => {
      cancelWithCaller(c, sessionId, callId);
      return processes.exec(request, callId);
    });
    return c.body(streamExecAnswer(result), 200, { "content-type": "application/json" });
  },
);

processRoutes.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/browsers/{id}/process/spawn",
    summary: "Start a process and leave it running",
    description:
      "It goes on when its caller leaves, until it ends, its time is up or the session ends. 429 when too many processes " +
      "of the session run.",
    middleware: jsonBody,
    request: { params: ofSession, body: jsonRequest(spawnSchema) },
    responses: { 200: jsonResponse(spawnedSchema, "The process."), ...errors },
  }),
  async (c) => {
    const request = c.req.valid("json");
    const { id, pid, startedAt } = await call(c, (processes) => processes.spawn(request));
    return c.json({ process_id: id, pid, started_at: new Date(startedAt).toISOString() }, 200);
  },
);

processRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/browsers/{id}/process/{processId}/status",
    summary: "Look whether a process still runs",
    description: "Of the processes that have exited, the last hundred are remembered.",
    request: { params: ofProcess },
    responses: { 200: jsonResponse(processStatusSchema, "Its state."), ...errors },
  }),
  async (c) => {
    const { processId } = c.req.valid("param");
    const { state, exitCode } = await call(c, (processes) => processes.status(processId));
    return c.json({ state, exit_code: exitCode, cpu_pct: 0 }, 200);
  },
);

processRoutes.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/browsers/{id}/process/{processId}/stdin",
    summary: "Write to a process's standard input",
    description: "409 when the process has exited or takes no more input.",
    middleware: jsonBody,
    request: { params: ofProcess, body: jsonRequest(processInputSchema) },
    responses: { 200: jsonResponse(writtenSchema, "Written."), ...errors, ...errorResponses(409) },
  }),
  async (c) => {
    const { processId } = c.req.valid("param");
    const { data_b64: bytes } = c.req.valid("json");
    await call(c, (processes) => processes.write(processId, bytes));
    return c.json({ written_bytes: bytes.length }, 200);
  },
);

processRoutes.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/browsers/{id}/process/{processId}/kill",
    summary: "Send a signal to a process",
    description: "It also goes to what the process has started. 409 when the process has exited.",
    middleware: jsonBody,
    request: { params: ofProcess, body: jsonRequest(killSchema) },
    responses: { 200: jsonResponse(doneSchema, "Sent."), ...errors, ...errorResponses(409) },
  }),
  async (c) => {
    const { processId } = c.req.valid("param");
    const { signal } = c.req.valid("json");
    await call(c, (processes) => processes.kill(processId, signal));
    return c.json({ ok: true as const }, 200);
  },
);

processRoutes.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/browsers/{id}/process/{processId}/resize",
    summary: "Change the size of a process's terminal",
    description: "Refused: the machine has no terminals.",
    middleware: jsonBody,
    request: { params: ofProcess, body: jsonRequest(resizeSchema) },
    responses: { 200: jsonResponse(doneSchema, "Never."), ...errors },
  }),
  async (c) => {
    const { processId } = c.req.valid("param");
    await call(c, (processes) => processes.resize(processId));
    return c.json({ ok: true as const }, 200);
  },
);

processRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/browsers/{id}/process/{processId}/stdout/stream",
    summary: "Follow what a process writes",
    description:
      "Begins with what is kept of its output, the last MiB, and ends with an `exit` event. Any number may follow.",
    request: { params: ofProcess },
    responses: {
      200: {
        description: "Server-sent events.",
        headers: EVENT_STREAM_HEADERS,
        content: { "text/event-stream": { schema: processOutputSchema } },
      },
      ...errors,
    },
  }),
  async (c) => {
    const { processId } = c.req.valid("param");
    return eventStreamResponse(await call(c, (processes) => processes.output(processId)));
  },
);

/** A machine's processes as they are seen from outside its object; a call to them is one round trip. */
type RemoteProcesses = ReturnType<DurableObjectStub<SessionMachine>["processes"]>;

/** Calls the processes of the session that the path names. */
function call<T>(
  c: Context<CallerEnv>,
  work: (processes: RemoteProcesses, sessionId: string) => Promise<Outcome<T>>,
): Promise<T> {
  const reference = { caller: c.var.caller, idOrName: c.req.param("id") ?? "" };
  return callMachine(c.env, reference, ({ stub, caller }) => {
    c.set("sessionId", caller.sessionId);
    return work(stub.processes(caller), caller.sessionId);
  });
}

/** Kills what runs for this call when its caller leaves. */
function cancelWithCaller(c: Context<CallerEnv>, sessionId: string, callId: string): void {
  const caller = { ...c.var.caller, sessionId };
  c.req.raw.signal.addEventListener("abort", () => {
    const processes = machineObject(c.env, sessionId).processes(caller);
    c.executionCtx.waitUntil(processes.cancel(callId).catch(() => undefined));
  });
}

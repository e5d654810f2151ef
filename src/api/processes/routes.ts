import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { machineObject, type SessionMachine } from "../../features/machine/index.ts";
import type { CallerEnv } from "../../features/organizations/index.ts";
import { callMachine } from "../../features/sessions/index.ts";
import type { Outcome } from "../../lib/common/outcome.ts";
import { eventStreamResponse, eventsResponse } from "../../lib/http/event-stream-response.ts";
import { textOf } from "../../lib/http/fields.ts";
import {
  API_KEY_SECURITY,
  jsonRequest,
  jsonResponse,
  jsonStreamResponse,
  routesOf,
} from "../../lib/http/openapi.ts";
import { newRouter } from "../../lib/http/router.ts";
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
} from "./schema.ts";

export const processRoutes = newRouter<CallerEnv>();

const route = routesOf("Processes", API_KEY_SECURITY);
const id = textOf("The session's id or name.");
const ofSession = z.object({ id });
const ofProcess = z.object({ id, processId: textOf("The process's id.") });

processRoutes.openapi(
  route("post", "/browsers/{id}/process/exec", {
    operationId: "runCommandToItsEnd",
    summary: "Run a command to its end",
    description:
      "The command is killed after its time-out (500 `process timed out`) and when the caller disconnects. A non-zero exit " +
      "code does not make the call fail.",
    request: { params: ofSession, body: jsonRequest(execSchema) },
    responses: { 200: jsonStreamResponse(execResultSchema, "Exit code and output.") },
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
  route("post", "/browsers/{id}/process/spawn", {
    operationId: "startProcessAndLeaveItRunning",
    summary: "Start a process and leave it running",
    description:
      "The process continues when the caller disconnects, until its time-out or the end of the session. Answers 429 when the " +
      "session runs too many processes.",
    request: { params: ofSession, body: jsonRequest(spawnSchema) },
    responses: { 200: jsonResponse(spawnedSchema, "The process.") },
  }),
  async (c) => {
    const { allocate_tty, rows, cols, ...request } = c.req.valid("json");
    const terminal = allocate_tty ? { rows, columns: cols } : undefined;
    const { id, pid, startedAt } = await call(c, (processes) => processes.spawn({ ...request, terminal }));
    return c.json({ process_id: id, pid, started_at: new Date(startedAt).toISOString() }, 200);
  },
);

processRoutes.openapi(
  route("get", "/browsers/{id}/process/{processId}/status", {
    operationId: "lookWhetherProcessStillRuns",
    summary: "Check whether a process is still running",
    description: "The last 100 exited processes are kept.",
    request: { params: ofProcess },
    responses: { 200: jsonResponse(processStatusSchema, "Its state.") },
    errors: [400, 413],
  }),
  async (c) => {
    const { processId } = c.req.valid("param");
    const { state, exitCode } = await call(c, (processes) => processes.status(processId));
    return c.json({ state, exit_code: exitCode, cpu_pct: 0 }, 200);
  },
);

processRoutes.openapi(
  route("post", "/browsers/{id}/process/{processId}/stdin", {
    operationId: "writeToProcessStandardInput",
    summary: "Write to a process's standard input",
    description: "Answers 409 when the process has exited or its input is closed.",
    request: { params: ofProcess, body: jsonRequest(processInputSchema) },
    responses: { 200: jsonResponse(writtenSchema, "Written.") },
    errors: [409],
  }),
  async (c) => {
    const { processId } = c.req.valid("param");
    const { data_b64: bytes } = c.req.valid("json");
    await call(c, (processes) => processes.write(processId, bytes));
    return c.json({ written_bytes: bytes.length }, 200);
  },
);

processRoutes.openapi(
  route("post", "/browsers/{id}/process/{processId}/kill", {
    operationId: "sendSignalToProcess",
    summary: "Send a signal to a process",
    description: "Child processes also get the signal. Answers 409 when the process has exited.",
    request: { params: ofProcess, body: jsonRequest(killSchema) },
    responses: { 200: jsonResponse(doneSchema, "Sent.") },
    errors: [409],
  }),
  async (c) => {
    const { processId } = c.req.valid("param");
    const { signal } = c.req.valid("json");
    await call(c, (processes) => processes.kill(processId, signal));
    return c.json({ ok: true as const }, 200);
  },
);

processRoutes.openapi(
  route("post", "/browsers/{id}/process/{processId}/resize", {
    operationId: "changeSizeOfProcessTerminal",
    summary: "Change the size of a process's terminal",
    description: "Answers 400 when the process was not started with `allocate_tty`.",
    request: { params: ofProcess, body: jsonRequest(resizeSchema) },
    responses: { 200: jsonResponse(doneSchema, "Changed.") },
  }),
  async (c) => {
    const { processId } = c.req.valid("param");
    const { rows, cols } = c.req.valid("json");
    await call(c, (processes) => processes.resize(processId, { rows, columns: cols }));
    return c.json({ ok: true as const }, 200);
  },
);

processRoutes.openapi(
  route("get", "/browsers/{id}/process/{processId}/stdout/stream", {
    operationId: "followWhatProcessWrites",
    summary: "Follow a process's output",
    description:
      "Starts with the last MiB of output and ends with an `exit` event. Allows any number of readers.",
    request: { params: ofProcess },
    responses: { 200: eventsResponse(processOutputSchema) },
    errors: [400, 413],
  }),
  async (c) => {
    const { processId } = c.req.valid("param");
    return eventStreamResponse(await call(c, (processes) => processes.output(processId)));
  },
);

/** A chained RPC call takes one round trip. */
type RemoteProcesses = ReturnType<DurableObjectStub<SessionMachine>["processes"]>;

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

function cancelWithCaller(c: Context<CallerEnv>, sessionId: string, callId: string): void {
  const caller = { ...c.var.caller, sessionId };
  c.req.raw.signal.addEventListener("abort", () => {
    const processes = machineObject(c.env, sessionId).processes(caller);
    c.executionCtx.waitUntil(processes.cancel(callId).catch(() => undefined));
  });
}

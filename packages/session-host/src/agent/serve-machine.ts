import { once } from "node:events";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { ProcessRequest, Signal } from "durable-machine";
import type { LocalMachine } from "./local-machine.ts";
import type { LocalProcess } from "./local-processes.ts";

type Answer = Http2ServerResponse;

/** The operations that take and return JSON. */
const FILE_OPERATIONS = [
  "status",
  "list",
  "resolve",
  "readSymlink",
  "makeDirectory",
  "rename",
  "place",
  "link",
  "symlink",
  "unlink",
  "removeTree",
  "changeMode",
  "changeOwner",
  "setTimes",
  "usage",
] as const;

const SILENCE_MS = 15_000;

const started = new Map<number, LocalProcess>();

/**
 * Serves a machine:
 *
 * - `POST /files/{operation}` with the arguments as an array: its result.
 * - `GET /files/content?path`, with `offset` and `length`: the bytes.
 * - `PUT /files/content?path`, with `mode`, `parents`, `modifiedAt`: writes them.
 * - `GET /files/changes?path`: a line of JSON for each change.
 * - `POST /processes`: a line of JSON with the pid, then one for each output, then the end. The process ends with
 *   the response's reader.
 * - `POST /processes/{pid}/input` with bytes, `/signal`, `/size`.
 *
 * A refusal is 422 with `code` and `message`.
 */
export async function serveMachine(machine: LocalMachine, request: Http2ServerRequest, answer: Answer) {
  answer.stream.on("error", () => undefined);
  try {
    const { pathname, searchParams } = new URL(request.url, "http://agent");
    const [, resource = "", name = "", action = ""] = pathname.split("/");
    const what = `${request.method} ${resource}`;
    if (what === "GET files" && name === "content") return await sendFile(machine, searchParams, answer);
    if (what === "PUT files" && name === "content") {
      await writeFile(machine, searchParams, Readable.toWeb(request) as ReadableStream<Uint8Array>);
      return send(answer, null);
    }
    if (what === "GET files" && name === "changes") return await sendChanges(machine, searchParams, answer);
    if (what === "POST files") return send(answer, await operate(machine, name, await json(request)));
    if (what === "POST processes" && name === "")
      return await runProcess(machine, (await json(request)) as ProcessRequest, answer);
    if (what === "POST processes") return send(answer, await controlProcess(name, action, request));
    refuse(answer, 404, "not_found", pathname);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const message = error instanceof Error ? error.message : String(error);
    refuse(answer, code === "" ? 500 : 422, code, message);
  }
}

function operate({ files }: LocalMachine, name: string, values: unknown): Promise<unknown> {
  const operation = FILE_OPERATIONS.find((known) => known === name);
  if (operation === undefined || !Array.isArray(values)) throw new Error(`There is no operation ${name}`);
  // The arguments come from the client of this package, and concern only this sandbox.
  const call = files[operation] as (...values: unknown[]) => Promise<unknown>;
  return call.apply(files, values);
}

async function sendFile({ files }: LocalMachine, query: URLSearchParams, answer: Answer): Promise<void> {
  const path = query.get("path") ?? "";
  if (query.has("offset")) {
    const bytes = await files.readRange(path, Number(query.get("offset")), Number(query.get("length")));
    return void answer.end(bytes);
  }
  const { size, body } = await files.read(path);
  answer.writeHead(200, { "file-size": size });
  await pipeline(Readable.from(body), answer).catch(() => answer.stream.close());
}

async function writeFile(
  { files }: LocalMachine,
  query: URLSearchParams,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  const path = query.get("path") ?? "";
  const mode = query.has("mode") ? Number(query.get("mode")) : undefined;
  await files.write(path, body, { mode, parents: query.get("parents") === "true" });
  if (!query.has("modifiedAt")) return;
  if (mode !== undefined) await files.changeMode(path, mode);
  await files.setTimes(path, { accessedAt: Date.now(), modifiedAt: Number(query.get("modifiedAt")) });
}

async function sendChanges({ files }: LocalMachine, query: URLSearchParams, answer: Answer): Promise<void> {
  const stop = await files.watch(query.get("path") ?? "", (change) => answer.write(toLine(change)));
  answer.stream.once("close", stop);
  answer.writeHead(200);
  // Tells the reader that the watch has begun.
  answer.write("\n");
  keepOpen(answer);
}

async function runProcess({ processes }: LocalMachine, request: ProcessRequest, answer: Answer) {
  const hasPid = Promise.withResolvers<void>();
  const write = async (event: object) => {
    await hasPid.promise;
    if (answer.stream.destroyed) return;
    if (!answer.write(toLine(event)))
      await Promise.race([once(answer.stream, "drain"), once(answer.stream, "close")]);
  };
  const process = await processes.start(request, {
    onOutput: (stream, bytes) => write({ stream, data: Buffer.from(bytes).toString("base64") }),
  });
  const { pid } = process;
  started.set(pid, process);
  const stop = () => void process.kill("KILL");
  // Its reader may have left while it started.
  if (answer.stream.destroyed) stop();
  else answer.stream.once("close", stop);
  answer.writeHead(200);
  answer.write(toLine({ pid }));
  keepOpen(answer);
  hasPid.resolve();
  const end = await process.ended;
  started.delete(pid);
  if (!answer.stream.destroyed) answer.end(toLine({ end }));
}

async function controlProcess(pid: string, action: string, request: Http2ServerRequest): Promise<unknown> {
  const process = started.get(Number(pid));
  if (action === "input") {
    let isOpen = process !== undefined;
    for await (const bytes of request) isOpen = isOpen && ((await process?.write(bytes)) ?? false);
    return isOpen;
  }
  const body = (await json(request)) as { signal: Signal; rows: number; columns: number };
  if (action === "signal") await process?.kill(body.signal);
  else await process?.resize(body);
  return null;
}

/** Proxies between Berth and the host close answers that are silent for long. */
function keepOpen(answer: Answer): void {
  const timer = setInterval(() => answer.writable && answer.write("\n"), SILENCE_MS);
  answer.stream.once("close", () => clearInterval(timer));
}

function toLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function send(answer: Answer, result: unknown): void {
  answer.end(JSON.stringify(result ?? null));
}

function refuse(answer: Answer, status: number, code: string, message: string): void {
  if (answer.headersSent || answer.stream.destroyed) answer.stream.close();
  else answer.writeHead(status).end(JSON.stringify({ code, message }));
}

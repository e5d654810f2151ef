import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { badRequest } from "../../common/errors.ts";
import { type Outcome, unwrap } from "../../common/outcome.ts";
import { EVENT_STREAM_HEADERS, eventStreamResponse } from "../../http/event-stream-response.ts";
import { jsonBody } from "../../http/json-body.ts";
import { readMultipart } from "../../http/multipart.ts";
import { API_KEY_SECURITY, errorResponses, jsonRequest, jsonResponse } from "../../http/openapi.ts";
import { withBody } from "../../http/request-body.ts";
import { newRouter } from "../../http/router.ts";
import type { SessionMachine } from "../../machine/index.ts";
import type { CallerEnv } from "../../organizations/index.ts";
import { callMachine, findMachine } from "./call-machine.ts";
import {
  createDirectorySchema,
  directoryPathSchema,
  fileInfoSchema,
  filePathSchema,
  moveSchema,
  setFilePermissionsSchema,
  startWatchSchema,
  UPLOAD_FORM,
  watchEventSchema,
  watchSchema,
  writeFileQuerySchema,
  ZIP_UPLOAD_FORM,
} from "./machine-schema.ts";
import { readUpload, readZipUpload } from "./upload-form.ts";

/** `/browsers/{id}/fs`: the files of a session's machine. */
export const fileRoutes = newRouter<CallerEnv>();

const shared = { tags: ["Files"], security: API_KEY_SECURITY };
const id = z.string().openapi({ description: "The session's id or name." });
const ofSession = z.object({ id });
const ofWatch = z.object({ id, watchId: z.string().openapi({ description: "The watch's id." }) });
const errors = errorResponses(400, 404, 409, 413);
const binary = { schema: z.string().openapi({ format: "binary" }) };

/** The route of an operation that is told a body and answers with nothing but that it is done. */
function operationRoute<S extends z.ZodType, N extends 200 | 201>(
  name: string,
  status: N,
  schema: S,
  texts: { summary: string; description?: string; done: string },
) {
  // Which of the two it is the compiler would forget in an object literal with a computed key.
  const done = { [status]: { description: texts.done } } as Record<N, { description: string }>;
  return createRoute({
    ...shared,
    method: "put",
    path: `/browsers/{id}/fs/${name}`,
    summary: texts.summary,
    description: texts.description,
    middleware: jsonBody,
    request: { params: ofSession, body: jsonRequest(schema) },
    responses: { ...done, ...errors },
  });
}

fileRoutes.openapi(
  operationRoute("create_directory", 201, createDirectorySchema, {
    summary: "Make a directory",
    description:
      "Parents are made as well, with mode 755. A directory that is there gets the `mode`, if one is given.",
    done: "It is there.",
  }),
  async (c) => {
    const { path, mode } = c.req.valid("json");
    await call(c, (files) => files.createDirectory(path, mode));
    return c.body(null, 201);
  },
);

fileRoutes.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/browsers/{id}/fs/write_file",
    summary: "Write a file",
    description:
      "The body is the file's content, streamed: the file is there, or replaced, when all of it has come. Parents " +
      "are made. A file that is there keeps its mode unless one is given.",
    request: {
      params: ofSession,
      query: writeFileQuerySchema,
      body: { content: { "application/octet-stream": binary } },
    },
    responses: { 201: { description: "Written." }, ...errors },
  }),
  async (c) => {
    const { path, mode } = c.req.valid("query");
    requireNoForm(c);
    const { stub, caller } = await findMachine(c.env, reference(c));
    c.set("sessionId", caller.sessionId);
    await withBody(c.req.raw.body, async (body) => {
      unwrap(await stub.files(caller).writeFile(path, body, mode));
    });
    return c.body(null, 201);
  },
);

fileRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/browsers/{id}/fs/read_file",
    summary: "Read a file",
    description: "Symlinks are followed. A directory is refused with 400.",
    request: { params: ofSession, query: filePathSchema },
    responses: {
      200: { description: "Its content.", content: { "application/octet-stream": binary } },
      ...errors,
    },
  }),
  async (c) => {
    const { path } = c.req.valid("query");
    const { size, body } = await call(c, (files) => files.readFile(path));
    return download(body, "application/octet-stream", size);
  },
);

fileRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/browsers/{id}/fs/list_files",
    summary: "List a directory",
    description: "Sorted by the bytes of the names. Symlinks in it are listed, not followed.",
    request: { params: ofSession, query: directoryPathSchema },
    responses: { 200: jsonResponse(z.array(fileInfoSchema), "Its entries."), ...errors },
  }),
  async (c) => {
    const { path } = c.req.valid("query");
    return c.json(await call(c, (files) => files.list(path)), 200);
  },
);

fileRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/browsers/{id}/fs/file_info",
    summary: "Look at a file or directory",
    description: "Symlinks are followed.",
    request: { params: ofSession, query: filePathSchema },
    responses: { 200: jsonResponse(fileInfoSchema, "What is known of it."), ...errors },
  }),
  async (c) => {
    const { path } = c.req.valid("query");
    return c.json(await call(c, (files) => files.info(path)), 200);
  },
);

fileRoutes.openapi(
  operationRoute("move", 200, moveSchema, {
    summary: "Move or rename a file or directory",
    description: "A file at the destination is replaced; a directory there is a conflict.",
    done: "Moved.",
  }),
  async (c) => {
    const { src_path, dest_path } = c.req.valid("json");
    await call(c, (files) => files.move(src_path, dest_path));
    return c.body(null, 200);
  },
);

fileRoutes.openapi(
  operationRoute("delete_file", 200, filePathSchema, {
    summary: "Delete a file",
    description: "A symlink is deleted itself, not the file behind it. A directory is refused with 400.",
    done: "Deleted.",
  }),
  async (c) => {
    const { path } = c.req.valid("json");
    await call(c, (files) => files.deleteFile(path));
    return c.body(null, 200);
  },
);

fileRoutes.openapi(
  operationRoute("delete_directory", 200, directoryPathSchema, {
    summary: "Delete a directory and all that is in it",
    description: "Symlinks in it are deleted, not followed. What is no directory is refused with 400.",
    done: "Deleted.",
  }),
  async (c) => {
    const { path } = c.req.valid("json");
    await call(c, (files) => files.deleteDirectory(path));
    return c.body(null, 200);
  },
);

fileRoutes.openapi(
  operationRoute("set_file_permissions", 200, setFilePermissionsSchema, {
    summary: "Set a file's mode, owner and group",
    description:
      "Also for directories, without what is in them. Symlinks are followed. An unknown owner or group is refused with 400.",
    done: "Set.",
  }),
  async (c) => {
    const { path, mode, owner, group } = c.req.valid("json");
    await call(c, (files) => files.setPermissions(path, mode, owner, group));
    return c.body(null, 200);
  },
);

fileRoutes.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/browsers/{id}/fs/upload",
    summary: "Upload files",
    description: "All of them take their places when the last has come, or none does.",
    request: { params: ofSession },
    requestBody: UPLOAD_FORM,
    responses: { 201: { description: "Uploaded." }, ...errors },
  }),
  async (c) => {
    const { stub, caller } = await findMachine(c.env, reference(c));
    c.set("sessionId", caller.sessionId);
    await withBody(c.req.raw.body, (body) => readUpload(readForm(c, body), () => stub.files(caller)));
    return c.body(null, 201);
  },
);

fileRoutes.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/browsers/{id}/fs/upload_zip",
    summary: "Upload a zip and unpack it",
    description: "A zip that would write outside `dest_path` is refused as a whole.",
    request: { params: ofSession },
    requestBody: ZIP_UPLOAD_FORM,
    responses: { 201: { description: "Unpacked." }, ...errors },
  }),
  async (c) => {
    const { stub, caller } = await findMachine(c.env, reference(c));
    c.set("sessionId", caller.sessionId);
    await withBody(c.req.raw.body, (body) => readZipUpload(readForm(c, body), () => stub.files(caller)));
    return c.body(null, 201);
  },
);

fileRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/browsers/{id}/fs/download_dir_zip",
    summary: "Download a directory as a zip",
    description:
      "The zip is made while it is sent, so its size is not known before. Symlinks are stored as symlinks. What is no " +
      "directory is refused with 400.",
    request: { params: ofSession, query: directoryPathSchema },
    responses: {
      200: { description: "Its files, named from the directory on.", content: { "application/zip": binary } },
      ...errors,
    },
  }),
  async (c) => {
    const { path } = c.req.valid("query");
    return download(await call(c, (files) => files.downloadZip(path)), "application/zip");
  },
);

fileRoutes.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/browsers/{id}/fs/watch",
    summary: "Watch a directory for changes",
    description: "Changes are kept from now on for whoever reads the events.",
    middleware: jsonBody,
    request: { params: ofSession, body: jsonRequest(startWatchSchema) },
    responses: { 201: jsonResponse(watchSchema, "The watch."), ...errors, ...errorResponses(429) },
  }),
  async (c) => {
    const { path, recursive } = c.req.valid("json");
    const watchId = await call(c, (files) => files.startWatch(path, recursive));
    return c.json({ watch_id: watchId }, 201);
  },
);

fileRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/browsers/{id}/fs/watch/{watchId}/events",
    summary: "Follow a watch",
    description: "Ends when the watch is stopped. Any number may follow.",
    request: { params: ofWatch },
    responses: {
      200: {
        description: "Server-sent events.",
        headers: EVENT_STREAM_HEADERS,
        content: { "text/event-stream": { schema: watchEventSchema } },
      },
      ...errors,
    },
  }),
  async (c) => {
    const { watchId } = c.req.valid("param");
    return eventStreamResponse(await call(c, (files) => files.watchEvents(watchId)));
  },
);

fileRoutes.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/browsers/{id}/fs/watch/{watchId}",
    summary: "Stop a watch",
    description:
      "Ends the event streams of everyone who follows it, and forgets events that nobody has read.",
    request: { params: ofWatch },
    responses: { 204: { description: "Stopped." }, ...errors },
  }),
  async (c) => {
    const { watchId } = c.req.valid("param");
    await call(c, (files) => files.stopWatch(watchId));
    return c.body(null, 204);
  },
);

/** A machine's files as they are seen from outside its object; a call to them is one round trip. */
type RemoteFiles = ReturnType<DurableObjectStub<SessionMachine>["files"]>;

function reference(c: Context<CallerEnv>) {
  return { caller: c.var.caller, idOrName: c.req.param("id") ?? "" };
}

function readForm(c: Context<CallerEnv>, body: ReadableStream<Uint8Array>) {
  return readMultipart({ contentType: c.req.header("content-type"), body });
}

/** Calls the files of the session that the path names. */
function call<T>(c: Context<CallerEnv>, work: (files: RemoteFiles) => Promise<Outcome<T>>): Promise<T> {
  return callMachine(c.env, reference(c), ({ stub, caller }) => {
    c.set("sessionId", caller.sessionId);
    return work(stub.files(caller));
  });
}

/** @throws ServiceError 400 for a form, which is meant for another route. */
function requireNoForm(c: Context<CallerEnv>): void {
  const type = c.req.header("content-type") ?? "";
  if (!/^multipart\//i.test(type)) return;
  throw badRequest({
    field: "content-type",
    message: "the body must be the file, as application/octet-stream",
  });
}

/** What a page that is led here must not be able to run. */
function download(body: ReadableStream<Uint8Array>, type: string, size?: number): Response {
  const headers = new Headers({
    "content-type": type,
    "cache-control": "no-store",
    "content-disposition": "attachment",
    "x-content-type-options": "nosniff",
  });
  if (size === undefined) return new Response(body, { headers });
  const { readable, writable } = new FixedLengthStream(size);
  void body.pipeTo(writable).catch(() => undefined);
  return new Response(readable, { headers });
}

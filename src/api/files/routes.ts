import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { SessionMachine } from "../../features/machine/index.ts";
import type { CallerEnv } from "../../features/organizations/index.ts";
import { callMachine, findMachine } from "../../features/sessions/index.ts";
import { badRequest } from "../../lib/common/errors.ts";
import { type Outcome, unwrap } from "../../lib/common/outcome.ts";
import { eventStreamResponse, eventsResponse } from "../../lib/http/event-stream-response.ts";
import { textOf } from "../../lib/http/fields.ts";
import { withForm } from "../../lib/http/multipart.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { withBody } from "../../lib/http/request-body.ts";
import { newRouter } from "../../lib/http/router.ts";
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
} from "./schema.ts";
import { readUpload, readZipUpload } from "./upload-form.ts";

export const fileRoutes = newRouter<CallerEnv>();

const route = routesOf("Files", API_KEY_SECURITY);
const id = textOf("The session's id or name.");
const ofSession = z.object({ id });
const ofWatch = z.object({ id, watchId: textOf("The watch's id.") });
const errors = [400, 409, 413] as const;
const binary = { schema: z.string().openapi({ format: "binary" }) };

function operationRoute<S extends z.ZodType, N extends 200 | 201>(
  name: string,
  status: N,
  schema: S,
  { done, ...texts }: { operationId: string; summary: string; description: string; done: string },
) {
  // A computed key loses the literal type of the status.
  const responses = { [status]: { description: done } } as Record<N, { description: string }>;
  return route("put", `/browsers/{id}/fs/${name}`, {
    ...texts,
    request: { params: ofSession, body: jsonRequest(schema) },
    responses,
    errors,
  });
}

fileRoutes.openapi(
  operationRoute("create_directory", 201, createDirectorySchema, {
    operationId: "makeDirectory",
    summary: "Make a directory",
    description:
      "Missing parents are created with mode 755. An existing directory gets the `mode`, if given.",
    done: "Created.",
  }),
  async (c) => {
    const { path, mode } = c.req.valid("json");
    await call(c, (files) => files.createDirectory(path, mode));
    return c.body(null, 201);
  },
);

fileRoutes.openapi(
  route("put", "/browsers/{id}/fs/write_file", {
    operationId: "writeFile",
    summary: "Write a file",
    description:
      "The body is the file's content. The file is created or replaced once all of it has arrived. Missing parents " +
      "are created. An existing file keeps its mode unless one is given.",
    request: {
      params: ofSession,
      query: writeFileQuerySchema,
      body: { content: { "application/octet-stream": binary } },
    },
    responses: { 201: { description: "Written." } },
    errors,
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
  route("get", "/browsers/{id}/fs/read_file", {
    operationId: "readFile",
    summary: "Read a file",
    description: "Symlinks are followed. Answers 400 for a directory.",
    request: { params: ofSession, query: filePathSchema },
    responses: { 200: { description: "Its content.", content: { "application/octet-stream": binary } } },
    errors,
  }),
  async (c) => {
    const { path } = c.req.valid("query");
    const { size, body } = await call(c, (files) => files.readFile(path));
    return download(body, "application/octet-stream", size);
  },
);

fileRoutes.openapi(
  route("get", "/browsers/{id}/fs/list_files", {
    operationId: "listDirectory",
    summary: "List a directory",
    description: "Sorted by name, bytewise. Symlinks are listed, not followed.",
    request: { params: ofSession, query: directoryPathSchema },
    responses: { 200: jsonResponse(z.array(fileInfoSchema), "Its entries.") },
    errors,
  }),
  async (c) => {
    const { path } = c.req.valid("query");
    return c.json(await call(c, (files) => files.list(path)), 200);
  },
);

fileRoutes.openapi(
  route("get", "/browsers/{id}/fs/file_info", {
    operationId: "lookAtFileOrDirectory",
    summary: "Look at a file or directory",
    description: "Symlinks are followed.",
    request: { params: ofSession, query: filePathSchema },
    responses: { 200: jsonResponse(fileInfoSchema, "The file or directory.") },
    errors,
  }),
  async (c) => {
    const { path } = c.req.valid("query");
    return c.json(await call(c, (files) => files.info(path)), 200);
  },
);

fileRoutes.openapi(
  operationRoute("move", 200, moveSchema, {
    operationId: "moveOrRenameFileOrDirectory",
    summary: "Move or rename a file or directory",
    description: "Replaces a file at the destination. Answers 409 if the destination is a directory.",
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
    operationId: "deleteFile",
    summary: "Delete a file",
    description: "Deletes a symlink itself, not its target. Answers 400 for a directory.",
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
    operationId: "deleteDirectoryAndAllThatIsInIt",
    summary: "Delete a directory and everything in it",
    description: "Symlinks are deleted, not followed. Answers 400 unless the path is a directory.",
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
    operationId: "setFileModeOwnerAndGroup",
    summary: "Set a file's mode, owner and group",
    description:
      "Also works for directories, but does not affect their entries. Symlinks are followed. Answers 400 for an unknown owner or group.",
    done: "Set.",
  }),
  async (c) => {
    const { path, mode, owner, group } = c.req.valid("json");
    await call(c, (files) => files.setPermissions(path, mode, owner, group));
    return c.body(null, 200);
  },
);

fileRoutes.openapi(
  route("post", "/browsers/{id}/fs/upload", {
    operationId: "uploadFiles",
    summary: "Upload files",
    description: "The files appear together once all have arrived, or not at all.",
    request: { params: ofSession },
    requestBody: UPLOAD_FORM,
    responses: { 201: { description: "Uploaded." } },
    errors,
  }),
  async (c) => {
    const { stub, caller } = await findMachine(c.env, reference(c));
    c.set("sessionId", caller.sessionId);
    await withForm(c.req.raw, (parts) => readUpload(parts, () => stub.files(caller)));
    return c.body(null, 201);
  },
);

fileRoutes.openapi(
  route("post", "/browsers/{id}/fs/upload_zip", {
    operationId: "uploadZipAndUnpackIt",
    summary: "Upload a zip and unpack it",
    description: "A zip that would write outside `dest_path` is rejected as a whole.",
    request: { params: ofSession },
    requestBody: ZIP_UPLOAD_FORM,
    responses: { 201: { description: "Unpacked." } },
    errors,
  }),
  async (c) => {
    const { stub, caller } = await findMachine(c.env, reference(c));
    c.set("sessionId", caller.sessionId);
    await withForm(c.req.raw, (parts) => readZipUpload(parts, () => stub.files(caller)));
    return c.body(null, 201);
  },
);

fileRoutes.openapi(
  route("get", "/browsers/{id}/fs/download_dir_zip", {
    operationId: "downloadDirectoryAsZip",
    summary: "Download a directory as a zip",
    description:
      "The zip is generated while it is sent, so its size is unknown. Symlinks are stored as symlinks. Answers 400 unless " +
      "the path is a directory.",
    request: { params: ofSession, query: directoryPathSchema },
    responses: {
      200: {
        description: "The files, with paths relative to the directory.",
        content: { "application/zip": binary },
      },
    },
    errors,
  }),
  async (c) => {
    const { path } = c.req.valid("query");
    return download(await call(c, (files) => files.downloadZip(path)), "application/zip");
  },
);

fileRoutes.openapi(
  route("post", "/browsers/{id}/fs/watch", {
    operationId: "watchDirectoryForChanges",
    summary: "Watch a directory for changes",
    description: "Changes are recorded from now on, for readers of the events.",
    request: { params: ofSession, body: jsonRequest(startWatchSchema) },
    responses: { 201: jsonResponse(watchSchema, "The watch.") },
    errors,
  }),
  async (c) => {
    const { path, recursive } = c.req.valid("json");
    const watchId = await call(c, (files) => files.startWatch(path, recursive));
    return c.json({ watch_id: watchId }, 201);
  },
);

fileRoutes.openapi(
  route("get", "/browsers/{id}/fs/watch/{watchId}/events", {
    operationId: "followWatch",
    summary: "Follow a watch",
    description: "Ends when the watch is stopped. Allows any number of readers.",
    request: { params: ofWatch },
    responses: { 200: eventsResponse(watchEventSchema) },
    errors,
  }),
  async (c) => {
    const { watchId } = c.req.valid("param");
    return eventStreamResponse(await call(c, (files) => files.watchEvents(watchId)));
  },
);

fileRoutes.openapi(
  route("delete", "/browsers/{id}/fs/watch/{watchId}", {
    operationId: "stopWatch",
    summary: "Stop a watch",
    description: "Ends its event streams and discards unread events.",
    request: { params: ofWatch },
    responses: { 204: { description: "Stopped." } },
    errors,
  }),
  async (c) => {
    const { watchId } = c.req.valid("param");
    await call(c, (files) => files.stopWatch(watchId));
    return c.body(null, 204);
  },
);

/** A chained RPC call takes one round trip. */
type RemoteFiles = ReturnType<DurableObjectStub<SessionMachine>["files"]>;

function reference(c: Context<CallerEnv>) {
  return { caller: c.var.caller, idOrName: c.req.param("id") ?? "" };
}

function call<T>(c: Context<CallerEnv>, work: (files: RemoteFiles) => Promise<Outcome<T>>): Promise<T> {
  return callMachine(c.env, reference(c), ({ stub, caller }) => {
    c.set("sessionId", caller.sessionId);
    return work(stub.files(caller));
  });
}

/** @throws ServiceError 400 for a form, which belongs to another route. */
function requireNoForm(c: Context<CallerEnv>): void {
  const type = c.req.header("content-type") ?? "";
  if (!/^multipart\//i.test(type)) return;
  throw badRequest({
    field: "content-type",
    message: "the body must be the file, as application/octet-stream",
  });
}

/** The headers keep browsers from running the content. */
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

import { toFileName } from "../../browser/index.ts";
import { badRequest, notFound } from "../../common/errors.ts";
import { withBody } from "../../http/request-body.ts";
import type { ConnectionScope } from "./scope.ts";

const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

/** Stores a viewer's file under its name and answers the path, or answers a download by its id. */
export async function serveViewerFile(
  { method, headers, body }: Request,
  name: string,
  { files, downloads }: ConnectionScope,
): Promise<Response> {
  if (method === "GET") {
    const stored = await downloads.waitUntilStored(name);
    const file = stored && (await files.read(stored.path));
    if (file === undefined) throw notFound("download");
    const type = { "content-type": "application/octet-stream", "content-disposition": "attachment" };
    return new Response(file.body, { headers: type });
  }
  if (!(Number(headers.get("content-length") ?? Number.NaN) <= MAX_UPLOAD_BYTES)) {
    throw badRequest({ field: "", message: `a file may have at most ${MAX_UPLOAD_BYTES} bytes` });
  }
  // Dialogs of file choosers take paths in double quotes.
  const place = { directory: "/home/kernel/Uploads", name: toFileName(name.replaceAll('"', "_")) };
  const store = (content: ReadableStream) => files.store({ ...place, ifTaken: "number" }, content);
  return Response.json({ path: await withBody(body, store) });
}

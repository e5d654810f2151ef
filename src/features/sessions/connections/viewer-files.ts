import { notFound } from "../../../lib/common/errors.ts";
import { withBody } from "../../../lib/http/request-body.ts";
import { toFileName } from "../../../platform/browser/index.ts";
import type { ConnectionScope } from "./scope.ts";

/** Stores a viewer's file under its name and answers the path, answers a download by its id, or lists paths. */
export async function serveViewerFile(
  { method, body }: Request,
  name: string,
  { files, downloads }: ConnectionScope,
): Promise<Response> {
  if (method === "GET" && name === "") return Response.json(await files.list());
  if (method === "GET") {
    const stored = await downloads.waitUntilStored(name);
    const file = stored && (await files.read(stored.path));
    if (file === undefined) throw notFound("download");
    const type = { "content-type": "application/octet-stream", "content-disposition": "attachment" };
    return new Response(file.body, { headers: type });
  }
  // Dialogs of file choosers take paths in double quotes.
  const place = { directory: "/home/kernel/Uploads", name: toFileName(name.replaceAll('"', "_")) };
  const store = (content: ReadableStream) => files.store({ ...place, ifTaken: "number" }, content);
  return Response.json({ path: await withBody(body, store) });
}

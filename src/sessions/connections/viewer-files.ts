import { toFileName } from "../../browser/index.ts";
import { badRequest, notFound } from "../../common/errors.ts";
import { withBody } from "../../http/request-body.ts";
import type { MachineSessionFiles } from "./machine-files.ts";

const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
const MAX_OFFERS = 50;

/** The files that viewers give to pages, and the downloads that are offered to them. */
export class ViewerFiles {
  readonly #files: MachineSessionFiles;
  readonly #offers = new Map<string, string>();

  constructor(files: MachineSessionFiles) {
    this.#files = files;
  }

  /** Lets viewers get a download by its id. */
  offer(id: string, path: string): void {
    this.#offers.set(id, path);
    const [oldest = id] = this.#offers.keys();
    if (this.#offers.size > MAX_OFFERS) this.#offers.delete(oldest);
  }

  /** Stores a file by its name and answers its path, or answers the content of a download. */
  async serve({ method, body, headers }: Request, name: string): Promise<Response> {
    if (method === "GET") return this.#read(this.#offers.get(name) ?? "");
    if (!(Number(headers.get("content-length") ?? Number.NaN) <= MAX_UPLOAD_BYTES)) {
      throw badRequest({ field: "", message: `a file may have at most ${MAX_UPLOAD_BYTES} bytes` });
    }
    // Dialogs of file choosers take paths in double quotes.
    const place = { directory: "/home/kernel/Uploads", name: toFileName(name.replaceAll('"', "_")) };
    const store = (content: ReadableStream) => this.#files.store({ ...place, ifTaken: "number" }, content);
    return Response.json({ path: await withBody(body, store) });
  }

  async #read(path: string): Promise<Response> {
    const file = path === "" ? undefined : await this.#files.read(path);
    if (file === undefined) throw notFound("download");
    const name = encodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
    const headers = {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename*=UTF-8''${name}`,
      "content-length": String(file.size),
    };
    return new Response(file.body, { headers });
  }
}

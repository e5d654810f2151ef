import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { serveHTTP } from "../outside/local-server.ts";

/** Content of `/report`. */
export const REPORT = "first line\nsecond line, with ünïcode\n";

export const BLOB_CONTENT = "made in the page";
export const DATA_URL_CONTENT = "of a data URL";

const PAGE = `<!doctype html><meta charset="utf-8"><title>Downloads</title>
<style>a, input { display: block; width: 300px; height: 40px; margin: 0 0 10px }</style>
<a id="report" href="/report">report</a>
<a id="renamed" href="/plain" download="renamed.txt">renamed</a>
<a id="blob" download="made.txt">blob</a>
<a id="data" href="data:text/plain,${encodeURIComponent(DATA_URL_CONTENT)}" download="data.txt">data</a>
<a id="slow" href="/slow">slow</a>
<a id="broken" href="/broken">broken</a>
<a id="large" href="/large">large</a>
<iframe id="frame" srcdoc='<a href="/report">report</a>'></iframe>
<form action="/upload" method="post" enctype="multipart/form-data">
  <input id="files" type="file" name="files" multiple>
  <button id="send">send</button>
</form>
<div id="target" style="width: 300px; height: 100px; background: silver">drop here</div>
<script>
  blob.href = URL.createObjectURL(new Blob(["${BLOB_CONTENT}"]));
  // Like real sites: the blob is revoked as soon as its download has begun.
  blob.onclick = () => setTimeout(() => URL.revokeObjectURL(blob.href));
  events = [];
  files.oninput = files.onchange = ({ type, isTrusted }) => events.push(type + (isTrusted ? "" : " untrusted"));
  target.ondragover = (event) => event.preventDefault();
  target.ondrop = (event) => { event.preventDefault(); dropped = [...event.dataTransfer.files]; };
</script>`;

/** Opens a website with downloads and an upload form. @param large content of `/large`. */
export async function openDownloadSite(large: Uint8Array) {
  /** Raw bodies of the submitted forms. */
  const uploads: string[] = [];
  const slow: ServerResponse[] = [];
  const server = await serveHTTP(async (request, response) => {
    if (request.method === "POST") {
      uploads.push(await text(request));
      response.end("thanks");
    } else if (request.url === "/slow") {
      slow.push(response);
      attach(response, "slow.bin").write("the first half, ");
    } else {
      respond(request, response, large);
    }
  });
  return {
    ...server,
    uploads,
    /** Sends the second half of a slow download. */
    finishSlow: () => slow.pop()?.end("the second half"),
    /** Closes the connection of a slow download. */
    abortSlow: () => slow.pop()?.destroy(),
  };
}

function respond(request: IncomingMessage, response: ServerResponse, large: Uint8Array): void {
  switch (request.url?.split("?")[0]) {
    case "/":
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(PAGE);
      return;
    case "/report":
      attach(response, "report.txt").end(REPORT);
      return;
    case "/plain":
      response.end("plain");
      return;
    case "/large":
      response.setHeader("content-length", large.length);
      attach(response, "large.bin").end(large);
      return;
    default:
      response.statusCode = 404;
      response.end();
  }
}

function attach(response: ServerResponse, name: string): ServerResponse {
  response.setHeader("content-disposition", `attachment; filename="${name}"`);
  response.setHeader("content-type", "application/octet-stream");
  return response;
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

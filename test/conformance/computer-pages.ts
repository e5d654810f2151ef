import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { type LocalServer, serveHTTP } from "../outside/local-server.ts";

/** A page's HTML, what makes it from its URL, or a handler that responds itself and returns no HTML. */
export type PageSource = string | ((response: ServerResponse, url: URL) => unknown);

export interface PageRequest {
  path: string;
  headers: IncomingHttpHeaders;
}

export interface Pages extends LocalServer {
  /** Oldest first. */
  requests: PageRequest[];
}

/** Serves pages by their paths on localhost. */
export async function servePages(pages: Readonly<Record<string, PageSource>>): Promise<Pages> {
  const requests: PageRequest[] = [];
  const server = await serveHTTP((request, response) => {
    const url = new URL(request.url ?? "/", "http://site.invalid");
    requests.push({ path: url.pathname, headers: request.headers });
    const source = pages[url.pathname];
    const page = typeof source === "function" ? source(response, url) : (source ?? "");
    if (typeof page !== "string") return;
    response.statusCode = source === undefined ? 404 : 200;
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(page);
  });
  return { ...server, requests };
}

/**
 * A page that records its events in `events`:
 *
 * - `mousedown left 1 Shift`: button, click count, modifiers; `mousemove 10,20 0`: position and pressed
 *   buttons; `wheel 0,120`: pixels;
 * - `keydown A KeyA 65 0 Shift`: key, code, key code, location, modifiers.
 *
 * @param options.preventsDefault prevents the default actions of keys.
 */
export function recordingPage(body: string, { preventsDefault = false } = {}): string {
  return `<!doctype html><meta charset="utf-8"><title>Recording</title>
<style>body { margin: 0; height: 768px } .at { position: absolute; box-sizing: border-box; margin: 0 }</style>
<script>
  const events = [];
  const times = [];
  const note = (event, ...words) => {
    const held = ["Alt", "Control", "Meta", "Shift"].filter((name) => event.getModifierState(name));
    events.push([event.type, ...words, ...held].join(" "));
    times.push(event.timeStamp);
  };
  const buttons = ["left", "middle", "right", "back", "forward"];
  for (const type of ["mousedown", "mouseup", "click", "dblclick", "auxclick", "contextmenu"])
    addEventListener(type, (event) => note(event, buttons[event.button], event.detail), true);
  addEventListener("mousemove", (event) => note(event, event.clientX + "," + event.clientY, event.buttons), true);
  addEventListener("wheel", (event) => note(event, event.deltaX + "," + event.deltaY), true);
  for (const type of ["keydown", "keyup"])
    addEventListener(type, (event) => {
      note(event, event.key, event.code || "-", event.keyCode, event.location);
      if (${preventsDefault}) event.preventDefault();
    }, true);
</script>
${body}`;
}

import { request } from "../../api/client.ts";
import { isRecord } from "./events.ts";
import { toPath, toPathBelow } from "./panel.ts";

const COMMAND_MS = 10_000;

export interface OpenTab {
  id: string;
  title: string;
  url: string;
}

/** The open tabs; the one in front first. */
export async function listTabs(cdpURL: string, signal: AbortSignal): Promise<OpenTab[]> {
  const targets: unknown = await (await request(toPathBelow(cdpURL, "json/list"), { signal })).json();
  return (Array.isArray(targets) ? targets : [])
    .filter((target) => isRecord(target) && target.type === "page")
    .map(({ id, title, url }) => ({ id: String(id), title: decode(String(title)), url: String(url) }));
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };

/** The list has titles as HTML. */
function decode(title: string): string {
  return title.replace(/&(lt|gt|amp|quot|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}

/** Sends one DevTools command by a connection of its own. @throws Error if the browser refuses it. */
export function sendCommand(cdpURL: string, method: string, params: object): Promise<void> {
  const url = new URL(toPath(cdpURL), location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url);
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The browser is not responding.")), COMMAND_MS);
    socket.onopen = () => socket.send(JSON.stringify({ id: 1, method, params }));
    socket.onclose = () => {
      clearTimeout(timer);
      reject(new Error("The browser could not be reached. The session may have ended."));
    };
    socket.onmessage = ({ data }) => {
      const answer: unknown = JSON.parse(String(data));
      if (!isRecord(answer) || answer.id !== 1) return;
      if (isRecord(answer.error)) reject(new Error(String(answer.error.message)));
      else resolve();
    };
  }).finally(() => socket.close());
}

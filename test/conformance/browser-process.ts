import { z } from "zod";
import { readProcessTable } from "../../scripts/local/process-table.ts";
import { DevToolsClient } from "./devtools-client.ts";

const processesSchema = z.object({ processInfo: z.array(z.object({ type: z.string(), id: z.number() })) });

/** The process of a session's browser, on this machine. */
export async function browserProcess({ cdp_ws_url }: { cdp_ws_url: string }): Promise<number> {
  using client = await DevToolsClient.connect(cdp_ws_url);
  const { processInfo } = processesSchema.parse(await client.send("SystemInfo.getProcessInfo"));
  const pid = processInfo.find(({ type }) => type === "browser")?.id;
  if (pid === undefined || !runsBrowser(pid))
    throw new Error("the session's browser is no process of this machine");
  return pid;
}

/** Whether a browser still runs as that process. */
export function runsBrowser(pid: number): boolean {
  return readProcessTable().some((entry) => entry.pid === pid && entry.command.includes("--user-data-dir="));
}

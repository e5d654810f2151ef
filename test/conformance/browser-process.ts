import { z } from "zod";
import { readProcessTable } from "../../scripts/local/process-table.ts";
import { DevToolsClient } from "./devtools-client.ts";

const processesSchema = z.object({ processInfo: z.array(z.object({ type: z.string(), id: z.number() })) });

/** Process id of a session's browser, which must run on this machine. */
export async function findBrowserPid({ cdp_ws_url }: { cdp_ws_url: string }): Promise<number> {
  using client = await DevToolsClient.connect(cdp_ws_url);
  const { processInfo } = processesSchema.parse(await client.send("SystemInfo.getProcessInfo"));
  const pid = processInfo.find(({ type }) => type === "browser")?.id;
  if (pid === undefined || !isBrowserRunning(pid))
    throw new Error("The session's browser is not a process on this machine");
  return pid;
}

export function isBrowserRunning(pid: number): boolean {
  return readProcessTable().some((entry) => entry.pid === pid && entry.command.includes("--user-data-dir="));
}

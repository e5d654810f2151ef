import { z } from "zod";
import type { Tabs } from "../tabs/tabs.ts";
import type { ClientCommand, CommandOutcome, SendCommand } from "./client-command.ts";

const paramsSchema = z.looseObject({ targetId: z.string().optional() });

const targetSchema = z.object({ targetInfo: z.object({ targetId: z.string() }) });

export function showsTab({ method }: ClientCommand): boolean {
  return method === "Page.bringToFront" || method === "Target.activateTarget";
}

/** Notes the tab that a client brings to the front: the browser does not report tabs in other windows. */
export async function serveShownTab(
  { method, params }: ClientCommand,
  ask: SendCommand,
  tabs: Pick<Tabs, "noteShown"> | undefined,
): Promise<CommandOutcome> {
  const given = paramsSchema.safeParse(params ?? {}).data ?? {};
  const { targetInfo } =
    method === "Target.activateTarget"
      ? { targetInfo: given }
      : targetSchema.parse(await ask("Target.getTargetInfo", {}));
  if (targetInfo.targetId !== undefined) tabs?.noteShown(targetInfo.targetId);
  return { method, params: given };
}

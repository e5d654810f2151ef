import { DurableObject } from "cloudflare:workers";
import { isInvocationUnfinished } from "../../browser-sessions/store.ts";
import { openDatabase } from "../../database/client.ts";

/** One invocation, named by its id: runs its action, and is the only one to change its state. */
export class Invocation extends DurableObject<Env> {
  /** Whether it is the organization's and has not finished: whether its code may call this service. */
  authorizeRun(organizationId: string): Promise<boolean> {
    return isInvocationUnfinished(openDatabase(this.env.DB), organizationId, this.ctx.id.name ?? "");
  }
}

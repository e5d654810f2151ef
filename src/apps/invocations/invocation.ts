import { DurableObject } from "cloudflare:workers";

/** One invocation, named by its id: runs its action, and is the only one to change its state. */
export class Invocation extends DurableObject<Env> {}

import { DurableObject } from "cloudflare:workers";
import type { LoggedLine } from "../event-journal.ts";

/** One deployment, named by its id: makes an app of what was uploaded, and keeps what it and its invocations log. */
export class Deployment extends DurableObject<Env> {
  log(_lines: LoggedLine[]): void {}
}

import { WorkerEntrypoint } from "cloudflare:workers";
import { type Outcome, settle } from "../../lib/common/outcome.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { OTLPDestinationRow } from "../../lib/database/schema/telemetry.ts";
import type { WebhookDeliveryRow } from "../../lib/database/schema/webhooks.ts";
import type { BrowserProxy } from "../../platform/browser/index.ts";
import { readExtensionZip } from "../extensions/index.ts";
import { fetchContent } from "../profiles/index.ts";
import { readBrowserProxy } from "../proxies/index.ts";
import { finishRecording, type UnfinishedRecording } from "../recordings/index.ts";
import { type SendResult, sendLogs } from "../telemetry/index.ts";
import { attemptDelivery } from "../webhooks/index.ts";

/**
 * What a Durable Object with sockets to a browser must not fetch itself: the platform may close an object's
 * outgoing sockets after the object has read the streamed answer of another request (workerd issue 6774).
 * Results are values, never streams.
 *
 * @example
 * const result = await exports.OutgoingCalls.sendLogs(destination, body);
 */
export class OutgoingCalls extends WorkerEntrypoint<Env> {
  /** Sends a request of OTLP once, within 10 seconds. */
  sendLogs(destination: OTLPDestinationRow, body: Uint8Array): Promise<SendResult> {
    return sendLogs(this.env, destination, body);
  }

  /** Sends a delivery that the caller has claimed, and records the result. */
  async attemptDelivery(delivery: WebhookDeliveryRow): Promise<void> {
    await attemptDelivery(this.env, delivery);
  }

  /** @returns a profile's encrypted content; undefined if nothing has been saved yet. @throws 404, 500 */
  readProfile(scope: ProjectScope, profileId: string): Promise<Outcome<Uint8Array | undefined>> {
    return settle(() => fetchContent(this.env, scope, profileId));
  }

  /** @returns null if the zip is deleted. */
  readExtension(organizationId: string, id: string): Promise<Uint8Array | null> {
    return readExtensionZip(this.env.FILES, organizationId, id);
  }

  /** Completes a recording from its pieces. It may be repeated. */
  finishRecording(recording: UnfinishedRecording): Promise<void> {
    return finishRecording({ env: this.env, waitUntil: (work) => this.ctx.waitUntil(work) }, recording);
  }

  /** Looks up the proxy's name. @throws 400 when the proxy is gone or cannot be used. */
  readProxy(scope: ProjectScope, proxyId: string): Promise<Outcome<BrowserProxy>> {
    return settle(() => readBrowserProxy(this.env, scope, proxyId));
  }
}

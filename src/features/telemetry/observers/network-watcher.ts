import type { Protocol } from "devtools-protocol";
import { type DroppedEvents, dropEvents } from "../../../platform/browser/index.ts";
import { redactBody, redactHeaders, redactText, redactURL } from "../redact.ts";
import type { ObservedTarget, Watcher } from "./observed-target.ts";
import type { Source, Throttle } from "./throttle.ts";

const IDLE_MS = 500;

const MAX_REQUESTS = 2000;
const MAX_BODY_LENGTH = 8192;
const MAX_TEXT_BODY_LENGTH = 4096;

/** Larger bodies are not read from the browser. */
const MAX_READ_BYTES = 1024 * 1024;
const MAX_CONCURRENT_READS = 4;

const STRUCTURED = /^application\/(.*\+)?(json|xml|x-www-form-urlencoded)/i;
const TEXT = /^text\/|javascript/i;

interface Request {
  method: string;
  /** Whether its response comes over the network, unlike the response to a `data:` URL. */
  isRemote: boolean;
  /** Recorded once its body is read. */
  response?: Protocol.Network.ResponseReceivedEvent;
}

export class NetworkWatcher implements Watcher, Source {
  readonly #target: ObservedTarget;
  readonly #throttle: Throttle;
  readonly #requests = new Map<string, Request>();
  #isOn = false;
  #hasBodies = false;
  #reads = 0;
  #idleTimer: number | null = null;

  constructor(target: ObservedTarget, throttle: Throttle) {
    this.#target = target;
    this.#throttle = throttle;
    const { session } = target;
    session.on("Network.requestWillBeSent", (event) => this.#handleRequest(event));
    session.on("Network.responseReceived", (event) => this.#handleResponse(event));
    session.on("Network.loadingFinished", (event) => this.#handleEnd(event));
    session.on("Network.loadingFailed", (event) => this.#handleFailure(event));
  }

  get isWanted(): boolean {
    return this.#target.wants("network", "network_request");
  }

  async start(): Promise<void> {
    const hasBodies = this.#target.observed.wantsBodies;
    if (this.#isOn && hasBodies === this.#hasBodies) return;
    this.#isOn = true;
    this.#hasBodies = hasBodies;
    if (this.#throttle.add(this)) await this.enable();
  }

  async stop(): Promise<void> {
    if (!this.#isOn) return;
    this.close();
    await this.disable();
  }

  close(): void {
    this.#isOn = false;
    clearTimeout(this.#idleTimer);
    this.#requests.clear();
    this.#throttle.remove(this);
  }

  async enable(): Promise<void> {
    const size = this.#hasBodies ? MAX_READ_BYTES : 0;
    await this.#target.trySend(
      this.#target.session.send("Network.enable", {
        maxPostDataSize: this.#hasBodies ? MAX_BODY_LENGTH : 0,
        maxResourceBufferSize: size,
        maxTotalBufferSize: 8 * size,
      }),
    );
  }

  drop(): DroppedEvents {
    return dropEvents(this.#target.session, ["Network."]);
  }

  async disable(): Promise<void> {
    this.#requests.clear();
    await this.#target.trySend(this.#target.session.send("Network.disable"));
  }

  #handleRequest(event: Protocol.Network.RequestWillBeSentEvent): void {
    if (!this.#isOn) return;
    const { requestId, request, redirectResponse } = event;
    const { method, url } = request;
    // The worker itself reports the response to the request of its script.
    const isOfWorker = event.type === "Script" && url === event.documentURL;
    if (this.#requests.size < MAX_REQUESTS && !isOfWorker)
      this.#requests.set(requestId, { method, isRemote: url.startsWith("http") });
    this.#watchIdle();
    if (!this.#throttle.admit(this)) return;
    this.#record("network_request", "Network.requestWillBeSent", event, {
      method: request.method,
      url: redactURL(request.url),
      headers: redactHeaders(request.headers),
      resource_type: event.type,
      initiator_type: event.initiator.type,
      document_url: redactURL(event.documentURL),
      is_redirect: redirectResponse !== undefined,
      ...(redirectResponse && {
        redirect_url: redactURL(redirectResponse.url),
        redirect_status: redirectResponse.status,
      }),
      ...(this.#hasBodies &&
        request.postData !== undefined && { post_data: redactBody(request.postData, MAX_BODY_LENGTH) }),
    });
  }

  #handleResponse(event: Protocol.Network.ResponseReceivedEvent): void {
    if (!this.#isOn || !this.#throttle.admit(this)) return;
    const { response } = event;
    const request = this.#requests.get(event.requestId);
    const isText = TEXT.test(response.mimeType) || STRUCTURED.test(response.mimeType);
    if (this.#hasBodies && isText && request !== undefined) request.response = event;
    else this.#recordResponse(event, request?.method);
  }

  #handleEnd({ requestId, encodedDataLength }: Protocol.Network.LoadingFinishedEvent): void {
    const request = this.#finish(requestId);
    if (request?.isRemote) this.#target.observed.countReceived(encodedDataLength);
    if (request?.response === undefined) return;
    const { method, response } = request;
    const isSmall = encodedDataLength <= MAX_READ_BYTES && this.#reads < MAX_CONCURRENT_READS;
    const reading = isSmall ? this.#readBody(response) : Promise.resolve(undefined);
    void reading.then((body) => this.#recordResponse(response, method, body));
  }

  #handleFailure(event: Protocol.Network.LoadingFailedEvent): void {
    const request = this.#finish(event.requestId);
    if (request?.response !== undefined) this.#recordResponse(request.response, request.method);
    if (!this.#isOn || !this.#throttle.admit(this)) return;
    this.#record("network_loading_failed", "Network.loadingFailed", event, {
      error_text: event.errorText,
      canceled: event.canceled ?? false,
      resource_type: event.type,
    });
  }

  async #readBody({
    requestId,
    response,
  }: Protocol.Network.ResponseReceivedEvent): Promise<string | undefined> {
    this.#reads += 1;
    try {
      const { body, base64Encoded } = await this.#target.session.send("Network.getResponseBody", {
        requestId,
      });
      if (base64Encoded) return undefined;
      return STRUCTURED.test(response.mimeType)
        ? redactBody(body, MAX_BODY_LENGTH)
        : redactText(body, MAX_TEXT_BODY_LENGTH);
    } catch {
      // The page has navigated, or the body was too large to keep.
      return undefined;
    } finally {
      this.#reads -= 1;
    }
  }

  #recordResponse(event: Protocol.Network.ResponseReceivedEvent, method = "", body?: string): void {
    const { response } = event;
    this.#record("network_response", "Network.responseReceived", event, {
      status: response.status,
      status_text: response.statusText.slice(0, 200),
      headers: redactHeaders(response.headers),
      mime_type: response.mimeType,
      resource_type: event.type,
      method,
      url: redactURL(response.url),
      ...(body !== undefined && { body }),
    });
  }

  #record(
    type: string,
    event: string,
    { requestId, frameId, loaderId }: { requestId: string; frameId?: string; loaderId?: string },
    data: Record<string, unknown>,
  ): void {
    const place = { frameId, loaderId };
    this.#target.record("network", type, { event, place, data: { request_id: requestId, ...data } });
  }

  #finish(requestId: string): Request | undefined {
    const request = this.#requests.get(requestId);
    this.#requests.delete(requestId);
    this.#watchIdle();
    return request;
  }

  #watchIdle(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = null;
    if (this.#requests.size > 0 || !this.#isOn) return;
    this.#idleTimer = setTimeout(() => {
      this.#target.record("network", "network_idle", { event: "Network.loadingFinished" });
    }, IDLE_MS);
  }
}

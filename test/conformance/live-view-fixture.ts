import type Kernel from "@onkernel/sdk";
import type { Browser } from "playwright-core";
import { expect } from "vitest";
import type { Pages } from "./computer-pages.ts";
import { eventually } from "./eventually.ts";
import { LiveViewPage, launchViewers, type Point, type ViewerOptions } from "./live-view-page.ts";
import { RemotePage } from "./live-view-remote.ts";
import { openLiveViewSite } from "./live-view-site.ts";
import type { ServiceClient } from "./service-client.ts";
import { SharedService } from "./shared-service.ts";

const VIEWPORT = { width: 1200, height: 800 };

type Session = Kernel.BrowserCreateResponse;

export interface FixtureOptions extends ViewerOptions {
  /** The remote page's path on the test site. */
  path?: string;
  session?: Kernel.BrowserCreateParams;
  /** URL that the viewer opens; `browser_live_view_url` by default. */
  address?: (session: Session) => Promise<string> | string;
}

/** A session, its remote page, and one viewer of it. */
export class LiveViewFixture {
  readonly session: Session;
  readonly remote: RemotePage;
  readonly view: LiveViewPage;

  constructor(session: Session, remote: RemotePage, view: LiveViewPage) {
    this.session = session;
    this.remote = remote;
    this.view = view;
  }

  /** Position of a remote element's center, plus an offset, in the viewer's window. */
  async at(selector: string, offset: { dx?: number; dy?: number } = {}): Promise<Point> {
    return this.view.windowPoint(await this.remote.pointOf(selector, offset), await this.remote.size());
  }

  async click(
    selector: string,
    options: { button?: "left" | "right" | "middle"; clickCount?: number } = {},
  ): Promise<void> {
    const { x, y } = await this.at(selector);
    await this.view.page.mouse.click(x, y, options);
  }

  /** Collects the remote page's events up to `last`. */
  async collectEventsUntil(last: string): Promise<string[]> {
    const events: string[] = [];
    await eventually(async () => {
      events.push(...(await this.remote.takeEvents()));
      expect(events).toContain(last);
    });
    return events;
  }
}

/** The service, a site and a browser for viewers, shared by the tests of a file. */
export class LiveViewSuite implements AsyncDisposable {
  readonly service: ServiceClient;
  readonly site: Pages;
  readonly viewers: Browser;
  readonly #kernel: Kernel;

  private constructor(service: ServiceClient, site: Pages, viewers: Browser) {
    this.service = service;
    this.site = site;
    this.viewers = viewers;
    this.#kernel = service.kernel();
  }

  static async start(starting: Promise<ServiceClient> = SharedService.use()): Promise<LiveViewSuite> {
    const [service, site, viewers] = await Promise.all([starting, openLiveViewSite(), launchViewers()]);
    return new LiveViewSuite(service, site, viewers);
  }

  get kernel(): Kernel {
    return this.#kernel;
  }

  url(path: string): string {
    return `${this.site.origin}${path}`;
  }

  createSession(options: Kernel.BrowserCreateParams = {}): Promise<Session> {
    return this.#kernel.browsers.create({ viewport: VIEWPORT, ...options });
  }

  /** Creates a session with a viewer; disposing of the fixture deletes the session. */
  async createFixture(options: FixtureOptions = {}): Promise<LiveViewFixture & AsyncDisposable> {
    const { path = "/playground", session: sessionOptions, address, ...viewing } = options;
    const session = await this.createSession(sessionOptions);
    const remote = await RemotePage.attach(session.cdp_ws_url);
    await remote.goTo(this.url(path));
    const url = (await address?.(session)) ?? session.browser_live_view_url;
    const view = await LiveViewPage.open(this.viewers, url, viewing);
    return Object.assign(new LiveViewFixture(session, remote, view), {
      [Symbol.asyncDispose]: async () => {
        await view.close();
        remote[Symbol.dispose]();
        // The test may have deleted it.
        await this.#kernel.browsers.deleteByID(session.session_id).catch(() => undefined);
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.viewers.close();
    await this.site[Symbol.asyncDispose]();
    await this.service.end();
  }
}

import type Kernel from "@onkernel/sdk";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { keepForFile } from "../outside/keep-for-file.ts";
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
export class LiveViewSuite {
  readonly service: ServiceClient;
  readonly site: Pages;
  readonly kernel: Kernel;
  #viewers: Browser | undefined;

  private constructor(service: ServiceClient, site: Pages) {
    this.service = service;
    this.site = site;
    this.kernel = service.kernel();
  }

  /** For a test file that calls this while it is loaded. */
  static async use(service?: ServiceClient): Promise<LiveViewSuite> {
    const site = keepForFile(await openLiveViewSite());
    const suite = new LiveViewSuite(service ?? (await SharedService.use()), site);
    beforeAll(async () => {
      suite.#viewers = await launchViewers();
    });
    afterAll(() => suite.#viewers?.close());
    return suite;
  }

  get viewers(): Browser {
    if (this.#viewers === undefined) throw new Error("There is a browser only in tests");
    return this.#viewers;
  }

  url(path: string): string {
    return `${this.site.origin}${path}`;
  }

  createSession(options: Kernel.BrowserCreateParams = {}): Promise<Session> {
    return this.kernel.browsers.create({ viewport: VIEWPORT, ...options });
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
        await this.kernel.browsers.deleteByID(session.session_id).catch(() => undefined);
      },
    });
  }
}

import type Kernel from "@onkernel/sdk";
import type { Browser } from "playwright-core";
import { expect } from "vitest";
import { LiveViewPage, launchViewers, type Point, type ViewingOptions } from "./live-view-page.ts";
import { RemotePage } from "./live-view-remote.ts";
import { type LiveViewSite, openLiveViewSite } from "./live-view-site.ts";
import { soon } from "./live-view-soon.ts";
import type { ServiceClient } from "./service-client.ts";
import { SharedService } from "./shared-service.ts";

const VIEWPORT = { width: 1200, height: 800 };

type Session = Kernel.BrowserCreateResponse;

export interface SceneOptions extends ViewingOptions {
  /** Path on the site that the remote browser begins at. */
  path?: string;
  session?: Kernel.BrowserCreateParams;
  /** Address that the viewer opens; that of the session unless said otherwise. */
  address?: (session: Session) => Promise<string> | string;
}

/** A session, its remote page as it is itself, and one person's live view of it. */
export class Scene {
  readonly session: Session;
  readonly remote: RemotePage;
  readonly view: LiveViewPage;

  constructor(session: Session, remote: RemotePage, view: LiveViewPage) {
    this.session = session;
    this.remote = remote;
    this.view = view;
  }

  /** Where the viewer sees the middle of an element of the remote page, or a point beside it. */
  async at(selector: string, beside: { dx?: number; dy?: number } = {}): Promise<Point> {
    return this.view.windowPoint(await this.remote.pointOf(selector, beside), await this.remote.size());
  }

  async click(
    selector: string,
    options: { button?: "left" | "right" | "middle"; clickCount?: number } = {},
  ): Promise<void> {
    const { x, y } = await this.at(selector);
    await this.view.page.mouse.click(x, y, options);
  }

  /** Collects what the remote page hears until it has heard `last`. */
  async heardUntil(last: string): Promise<string[]> {
    const heard: string[] = [];
    await soon(async () => {
      heard.push(...(await this.remote.heard()));
      expect(heard).toContain(last);
    });
    return heard;
  }
}

/** The service, a site and a browser for viewers, for all tests of a file; each test has scenes of its own. */
export class Stage implements AsyncDisposable {
  readonly service: ServiceClient;
  readonly site: LiveViewSite;
  readonly viewers: Browser;
  readonly #kernel: Kernel;

  private constructor(service: ServiceClient, site: LiveViewSite, viewers: Browser) {
    this.service = service;
    this.site = site;
    this.viewers = viewers;
    this.#kernel = service.kernel();
  }

  /** @param starting the shared service unless said otherwise. */
  static async set(starting: Promise<ServiceClient> = SharedService.use()): Promise<Stage> {
    const [service, site, viewers] = await Promise.all([starting, openLiveViewSite(), launchViewers()]);
    return new Stage(service, site, viewers);
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

  /** A scene that ends with the block that it is used in, its session with it. */
  async scene(options: SceneOptions = {}): Promise<Scene & AsyncDisposable> {
    const { path = "/playground", session: sessionOptions, address, ...viewing } = options;
    const session = await this.createSession(sessionOptions);
    const remote = await RemotePage.attach(session.cdp_ws_url);
    await remote.goTo(this.url(path));
    const url = (await address?.(session)) ?? session.browser_live_view_url;
    const view = await LiveViewPage.open(this.viewers, url, viewing);
    return Object.assign(new Scene(session, remote, view), {
      [Symbol.asyncDispose]: async () => {
        await view.close();
        remote[Symbol.dispose]();
        // A test may have ended it.
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

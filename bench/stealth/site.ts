import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { openServer } from "../../scripts/local/http-server.ts";
import { bundle } from "../bundle.ts";
import { type Finding, findingSchema } from "./finding.ts";

const DOCUMENT = `<!doctype html><title>Detectors</title><body><script type="module" src="/page.js"></script>`;

const TIMEOUT_MS = 30_000;

interface Visit {
  findings: Finding[];
  done: PromiseWithResolvers<void>;
}

/** A local site whose page runs the detectors. It also checks the headers of its own requests. */
export class DetectorSite implements AsyncDisposable {
  readonly #script = bundle(join(import.meta.dirname, "page.ts"), "es2022");
  readonly #visits: Visit[] = [];
  #server: Awaited<ReturnType<typeof openServer>> | undefined;

  static async open(): Promise<DetectorSite> {
    const site = new DetectorSite();
    site.#server = await openServer((request, response) => {
      site.#handle(request, response).catch((error: unknown) => {
        response.statusCode = 500;
        response.end(String(error));
      });
    });
    return site;
  }

  /** @param open navigates a browser to the given URL. */
  async collectFindings(open: (url: string) => Promise<unknown>): Promise<Finding[]> {
    const visit: Visit = { findings: [], done: Promise.withResolvers() };
    const number = this.#visits.push(visit) - 1;
    const timer = setTimeout(() => visit.done.reject(new Error("The page sent no findings")), TIMEOUT_MS);
    try {
      await Promise.all([open(`${this.#server?.url}/?${number}`), visit.done.promise]);
      return visit.findings;
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? "/", "http://site.invalid");
    const visit = this.#visits[Number(search.slice(1) || Number.NaN)];
    if (pathname === "/") {
      visit?.findings.push(checkHeaders("for the page", request));
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(DOCUMENT);
    } else if (pathname === "/page.js") {
      response.setHeader("content-type", "text/javascript");
      response.end(this.#script);
    } else if (pathname === "/service.js") {
      visit?.findings.push(checkHeaders("for a service worker", request));
      response.setHeader("content-type", "text/javascript");
      response.end();
    } else if (pathname === "/findings" && visit !== undefined) {
      visit.findings.push(...findingSchema.array().parse(await json(request)));
      visit.done.resolve();
      response.end();
    } else {
      response.statusCode = 404;
      response.end();
    }
  }
}

function checkHeaders(purpose: string, { headers }: IncomingMessage): Finding {
  const text = `${headers["user-agent"]} ${headers["sec-ch-ua"]}`;
  return { detector: "site", check: `request ${purpose}`, detected: /headless/i.test(text) };
}

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { buildSync } from "esbuild";
import { type Finding, findingSchema } from "./finding.ts";

const DOCUMENT = `<!doctype html><title>Detectors</title><body><script type="module" src="/page.js"></script>`;

const TIMEOUT_MS = 30_000;

interface Visit {
  findings: Finding[];
  done: PromiseWithResolvers<void>;
}

/** A local site whose page runs the detectors. It also checks the headers of its own requests. */
export class DetectorSite implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    this.#handle(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  readonly #script = buildScript();
  readonly #visits: Visit[] = [];

  static async open(): Promise<DetectorSite> {
    const site = new DetectorSite();
    site.#server.listen(0, "127.0.0.1");
    await once(site.#server, "listening");
    return site;
  }

  /** @param open navigates a browser to the given URL. */
  async collectFindings(open: (url: string) => Promise<unknown>): Promise<Finding[]> {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The site has no port");
    const visit: Visit = { findings: [], done: Promise.withResolvers() };
    const number = this.#visits.push(visit) - 1;
    const timer = setTimeout(() => visit.done.reject(new Error("The page sent no findings")), TIMEOUT_MS);
    try {
      await Promise.all([open(`http://127.0.0.1:${address.port}/?${number}`), visit.done.promise]);
      return visit.findings;
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
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

function buildScript(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(import.meta.dirname, "page.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("The page script was not built");
  return file.text;
}

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "../../outside/local-server.ts";
import { makeSelfSigned } from "../self-signed.ts";

const PAGE = `<!doctype html>
<title>Example Domain</title>
<h1>Example Domain</h1>
<p>This domain is for use in documentation examples.</p>
<p><a href="https://iana.org/domains/example">Learn more</a></p>`;

/** A stand-in for https://example.com, which tests must not depend on, and a Chrome that finds it there. */
export class ExampleSite {
  /** A Chrome for which this site is every host under .com and .org. */
  readonly chromePath: string;
  readonly #folder: string;
  readonly #close: () => void;

  private constructor(folder: string, close: () => void) {
    this.#folder = folder;
    this.#close = close;
    this.chromePath = join(folder, "chrome");
  }

  static async start(realChrome: string): Promise<ExampleSite> {
    const { certificate, key, publicKeyHash } = makeSelfSigned(["example.com"]);
    const respond = (
      _: unknown,
      response: { end: (body: string) => void; setHeader: (name: string, value: string) => void },
    ) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(PAGE);
    };
    const plain = createServer(respond);
    const secure = createSecureServer({ cert: certificate, key }, respond);
    const servers = [plain, secure];
    const [plainPort, securePort] = await Promise.all(servers.map((server) => listen(server)));
    const folder = mkdtempSync(join(tmpdir(), "es-"));
    const site = new ExampleSite(folder, () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    });
    const rules = ["*.com", "*.org"].flatMap((hosts) => [
      `MAP ${hosts}:80 127.0.0.1:${plainPort}`,
      `MAP ${hosts}:443 127.0.0.1:${securePort}`,
    ]);
    const flags = [
      `--host-resolver-rules=${rules.join(", ")}`,
      `--ignore-certificate-errors-spki-list=${publicKeyHash}`,
    ];
    writeFileSync(
      site.chromePath,
      `#!/bin/sh\nexec '${realChrome}' "$@" ${flags.map((flag) => `'${flag}'`).join(" ")}\n`,
    );
    chmodSync(site.chromePath, 0o755);
    return site;
  }

  end(): void {
    this.#close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

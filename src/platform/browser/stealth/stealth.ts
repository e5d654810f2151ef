import type { Protocol } from "devtools-protocol";
import { z } from "zod";
import { applyStealth, readClientHints } from "../../page-scripts/bundled.js";
import { toCall } from "../../page-scripts/page-function.ts";
import type { TargetInfo } from "../connection/attached-targets.ts";
import { isUnknownCommand } from "../connection/control-connection.ts";
import { withHelperPage } from "../connection/helper-page.ts";
import type { CDPSession, Connection } from "../connection/puppeteer.ts";

const PAGE_TYPES = ["page", "iframe"];

export const STEALTH_TARGET_TYPES = [...PAGE_TYPES, "worker", "shared_worker", "service_worker"];

const HEADLESS_BRAND = "HeadlessChrome";

const brandsSchema = z.array(z.object({ brand: z.string(), version: z.string() }));

const clientHintsSchema = z.object({
  brands: brandsSchema,
  fullVersionList: brandsSchema,
  uaFullVersion: z.string(),
  platform: z.string(),
  platformVersion: z.string(),
  architecture: z.string(),
  bitness: z.string(),
  model: z.string(),
  mobile: z.boolean(),
  wow64: z.boolean(),
  formFactors: z.array(z.string()),
});

type ClientHints = z.infer<typeof clientHintsSchema>;

const STEALTH_SCRIPT = toCall(applyStealth);

/** Never requested. Client hints exist only on secure origins. */
const SECURE_PAGE = "https://berth.invalid/";

export class Stealth {
  readonly #override: Protocol.Emulation.SetUserAgentOverrideRequest;

  private constructor(override: Protocol.Emulation.SetUserAgentOverrideRequest) {
    this.#override = override;
  }

  static async create(connection: Connection): Promise<Stealth> {
    const [{ userAgent }, hints] = await Promise.all([
      connection.send("Browser.getVersion"),
      fetchClientHints(connection),
    ]);
    const stealth = new Stealth(toOverride(userAgent, hints));
    await stealth.#correctWorkerRequests(connection);
    return stealth;
  }

  /** A paused service worker answers only once it runs, so this resumes it after the commands are sent. */
  async prepare(session: CDPSession, target: TargetInfo): Promise<void> {
    const overridden = session.send("Emulation.setUserAgentOverride", this.#override);
    const scripted = PAGE_TYPES.includes(target.type)
      ? runInDocuments(session)
      : session.send("Runtime.evaluate", { expression: STEALTH_SCRIPT });
    const released =
      target.type === "service_worker" ? session.send("Runtime.runIfWaitingForDebugger") : undefined;
    await Promise.all([overridden, scripted, released].map(ignoreUnknownCommand));
  }

  /** A service worker's script is requested before its target exists, so these requests are intercepted. */
  async #correctWorkerRequests(connection: Connection): Promise<void> {
    const { sessionId } = await connection.send("Target.attachToBrowserTarget");
    const session = connection.session(sessionId);
    if (session === null) throw new Error("The browser closed while Berth attached to it");
    session.on("Fetch.requestPaused", ({ requestId, request: { headers } }) => {
      const isForServiceWorker = Object.keys(headers).some((name) => name.toLowerCase() === "service-worker");
      const corrected = isForServiceWorker
        ? Object.entries({ ...headers, "User-Agent": this.#override.userAgent })
        : undefined;
      const continued = session.send("Fetch.continueRequest", {
        requestId,
        headers: corrected?.map(([name, value]) => ({ name, value })),
      });
      continued.catch(() => undefined);
    });
    await session.send("Fetch.enable", { patterns: [{ resourceType: "Other" }] });
  }
}

async function fetchClientHints(connection: Connection): Promise<ClientHints> {
  return withHelperPage(connection, async (page) => {
    const { session } = page;
    session.once("Fetch.requestPaused", ({ requestId }) => {
      session.send("Fetch.fulfillRequest", { requestId, responseCode: 200 }).catch(() => undefined);
    });
    await Promise.all([
      session.send("Fetch.enable", {}),
      session.send("Page.navigate", { url: SECURE_PAGE }),
    ]);
    return clientHintsSchema.parse(await page.call(readClientHints));
  });
}

export function toOverride(
  userAgent: string,
  { uaFullVersion, ...hints }: ClientHints,
): Protocol.Emulation.SetUserAgentOverrideRequest {
  return {
    userAgent: userAgent.replace(HEADLESS_BRAND, "Chrome"),
    userAgentMetadata: {
      ...hints,
      brands: hints.brands.map(withoutHeadless),
      fullVersionList: hints.fullVersionList.map(withoutHeadless),
      fullVersion: uaFullVersion,
    },
  };
}

function withoutHeadless({ brand, version }: Protocol.Emulation.UserAgentBrandVersion) {
  return { brand: brand === HEADLESS_BRAND ? "Google Chrome" : brand, version };
}

/** Scripts run in documents only while the Page domain is enabled. */
async function runInDocuments(session: CDPSession): Promise<void> {
  await Promise.all([
    session.send("Page.enable"),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source: STEALTH_SCRIPT, runImmediately: true }),
  ]);
}

async function ignoreUnknownCommand(answer: Promise<unknown> | undefined): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (!isUnknownCommand(error)) throw error;
  }
}

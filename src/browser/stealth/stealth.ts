import type { Protocol } from "devtools-protocol";
import { z } from "zod";
import { applyStealth, readClientHints } from "../../page-scripts/bundled.js";
import { toCall } from "../../page-scripts/page-function.ts";
import type { TargetInfo } from "../connection/attached-targets.ts";
import { isUnknownCommand } from "../connection/control-connection.ts";
import { withHelperPage } from "../connection/helper-page.ts";
import type { CDPSession, Connection } from "../connection/puppeteer.ts";

const PAGE_TYPES = ["page", "iframe"];

/** The targets that {@link Stealth.prepare} is for. */
export const STEALTH_TARGET_TYPES = [...PAGE_TYPES, "worker", "shared_worker", "service_worker"];

const HEADLESS_BRAND = "HeadlessChrome";

const brandsSchema = z.array(z.object({ brand: z.string(), version: z.string() }));

/** What `getHighEntropyValues` of a page answers. */
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

/** An address that is never asked for: pages of secure origins alone are told of client hints. */
const SECURE_PAGE = "https://berth.invalid/";

/** Takes from a browser's targets what tells every script in them that a program drives them. */
export class Stealth {
  readonly #override: Protocol.Emulation.SetUserAgentOverrideRequest;

  private constructor(override: Protocol.Emulation.SetUserAgentOverrideRequest) {
    this.#override = override;
  }

  /**
   * Learns what the browser says of itself, which is what it goes on saying but for the word that tells: the same
   * brands everywhere, also where no override reaches. Begins to correct the requests for the scripts of workers.
   */
  static async of(connection: Connection): Promise<Stealth> {
    const [{ userAgent }, hints] = await Promise.all([
      connection.send("Browser.getVersion"),
      fetchClientHints(connection),
    ]);
    const stealth = new Stealth(toOverride(userAgent, hints));
    await stealth.#correctWorkerRequests(connection);
    return stealth;
  }

  /**
   * Applies everything to a target, pipelined. A held service worker answers only once it runs, so it is released
   * here, behind the commands: the browser keeps their order.
   */
  async prepare(session: CDPSession, target: TargetInfo): Promise<void> {
    const overridden = session.send("Emulation.setUserAgentOverride", this.#override);
    const scripted = PAGE_TYPES.includes(target.type)
      ? runInDocuments(session)
      : session.send("Runtime.evaluate", { expression: STEALTH_SCRIPT });
    const released =
      target.type === "service_worker" ? session.send("Runtime.runIfWaitingForDebugger") : undefined;
    await Promise.all([overridden, scripted, released].map(whereKnown));
  }

  /**
   * The browser asks for a service worker's script before there is a target that could be prepared. So such
   * requests are held until their header is corrected, and with them the few others that DevTools gives no type
   * of its own, such as those for icons and shared workers.
   */
  async #correctWorkerRequests(connection: Connection): Promise<void> {
    // A session of its own, because each has one set of patterns.
    const { sessionId } = await connection.send("Target.attachToBrowserTarget");
    const session = connection.session(sessionId);
    if (session === null) throw new Error("The browser closed as it was attached to");
    session.on("Fetch.requestPaused", ({ requestId, request: { headers } }) => {
      const isForServiceWorker = Object.keys(headers).some((name) => name.toLowerCase() === "service-worker");
      const corrected = isForServiceWorker
        ? Object.entries({ ...headers, "User-Agent": this.#override.userAgent })
        : undefined;
      const continued = session.send("Fetch.continueRequest", {
        requestId,
        headers: corrected?.map(([name, value]) => ({ name, value })),
      });
      // A request that its page has given up needs no answer.
      continued.catch(() => undefined);
    });
    await session.send("Fetch.enable", { patterns: [{ resourceType: "Other" }] });
  }
}

/** Reads what the browser tells of itself in client hints, from a page of Berth's own that nobody sees. */
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

/** The user agent and client hints that a browser has, but for the word that tells. */
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

/** In the documents of a page or frame. Only an enabled domain runs scripts in them. */
async function runInDocuments(session: CDPSession): Promise<void> {
  await Promise.all([
    session.send("Page.enable"),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source: STEALTH_SCRIPT, runImmediately: true }),
  ]);
}

/** Waits for a command that some types of targets do not know. */
async function whereKnown(answer: Promise<unknown> | undefined): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (!isUnknownCommand(error)) throw error;
  }
}

import type Kernel from "@onkernel/sdk";
import { toFile } from "@onkernel/sdk";
import { chromium } from "@playwright/test";
import { deployApp, invoke } from "../conformance/apps.ts";
import { startProxyServer } from "../conformance/proxy-server.ts";
import { buildZip } from "../lib/archives/zip-builder.ts";
import type { LocalServer } from "../outside/local-server.ts";
import { TELEMETRY } from "./fixtures.ts";

const MANIFEST = JSON.stringify({
  manifest_version: 3,
  name: "Price tags",
  version: "1.2",
  content_scripts: [{ matches: ["https://*/*"], js: ["tags.js"] }],
});

const APP = `
  app.action("check-price", async (context: KernelContext, payload?: unknown) => {
    console.log("checking the price");
    return { price: 42, currency: "EUR", payload };
  });
  app.action("fail", async (_context: KernelContext) => {
    throw new Error("The shop did not answer");
  });
`;

/** Inline styles, because the page has no other resources. */
const SHOP = `<main style="font:18px system-ui;max-width:960px;margin:48px auto;color:#223">
  <h1 style="font-size:40px;margin:0 0 8px">Harbor Goods</h1>
  <p style="color:#567;margin:0 0 32px">3 items in your cart</p>
  <div style="display:grid;grid-template-columns:repeat(3,1fr);gap:24px">${[
    ["Rope, 20 m", "24.90", "#dbe7ff"],
    ["Brass lantern", "59.00", "#ffe9c9"],
    ["Oilskin jacket", "129.00", "#d8f0e0"],
  ]
    .map(
      ([name, price, color]) =>
        `<article style="border:1px solid #dde;border-radius:12px;overflow:hidden">
          <div style="height:150px;background:${color}"></div>
          <div style="padding:16px"><b>${name}</b><br>€ ${price}</div>
        </article>`,
    )
    .join("")}</div>
  <button style="margin-top:32px;padding:14px 28px;font:inherit;color:#fff;background:#2c5fc9;border:0;border-radius:8px">Check out</button>
</main>`;

/** An organization with something in every list, for tests that visit every view. */
export class Demo implements AsyncDisposable {
  readonly ids: Readonly<Record<"active" | "ended" | "pool" | "profile" | "proxy" | "extension", string>> &
    Readonly<Record<"deployment" | "invocation" | "failed" | "webhook" | "project", string>>;
  readonly #parts: AsyncDisposableStack;

  private constructor(ids: Demo["ids"], parts: AsyncDisposableStack) {
    this.ids = ids;
    this.#parts = parts;
  }

  static async create(kernel: Kernel, site: LocalServer): Promise<Demo> {
    const parts = new AsyncDisposableStack();
    const proxyServer = parts.use(await startProxyServer());
    const { port } = proxyServer;
    const [proxy, profile, extension, app, webhook] = await Promise.all([
      kernel.proxies.create({ type: "custom", name: "office", config: { host: "127.0.0.1", port } }),
      kernel.profiles.create({ name: "shop-login" }),
      kernel.extensions.upload({ file: await extensionFile(), name: "price-tags" }),
      deployApp(kernel, APP),
      kernel.post<{ id: string }>("/org/webhooks", {
        body: { url: `${site.origin}/hook`, event_types: ["session.ended"] },
      }),
    ]);
    const { id: ended } = await useSession(kernel, site, {
      name: "nightly-check",
      tags: { team: "pricing", run: "1204" },
      profile: { name: "shop-login", save_changes: true },
      record: true,
    });
    await kernel.browsers.deleteByID(ended);
    const pool = await kernel.browserPools.create({ size: 1, name: "warm", fill_rate_per_minute: 25 });
    const { id: active } = await useSession(kernel, site, { name: "checkout", tags: { team: "pricing" } });
    const body = { instructions: "Please enter the 2FA code", expires_in_seconds: 3600 };
    await kernel.post(`/browsers/${active}/handoffs`, { body });
    const project = await kernel.projects.create({ name: "staging" });
    await kernel.projects.limits.update(project.id, { max_concurrent_sessions: 20 });
    const invocation = await invoke(kernel, app, "check-price", { payload: { url: "https://example.com" } });
    const failed = await invoke(kernel, app, "fail");
    const ids = {
      active,
      ended,
      pool: pool.id,
      profile: profile.id,
      proxy: proxy.id ?? "",
      extension: extension.id,
    };
    return new Demo(
      {
        ...ids,
        deployment: app.deploymentId,
        invocation: invocation.id,
        failed: failed.id,
        webhook: webhook.id,
        project: project.id,
      },
      parts,
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}

async function extensionFile() {
  const files = [
    { name: "manifest.json", content: MANIFEST },
    { name: "tags.js", content: "document.title;" },
  ];
  return toFile(buildZip(files), "price-tags.zip");
}

type DemoSession = Kernel.BrowserCreateParams & { record?: boolean };

/** Creates a session that has loaded a page, called its server and written to the console. */
async function useSession(kernel: Kernel, site: LocalServer, options: DemoSession) {
  const session = await kernel.browsers.create({
    timeout_seconds: 600,
    viewport: { width: 1440, height: 900 },
    telemetry: TELEMETRY,
    ...options,
  });
  const browser = await chromium.connectOverCDP(session.cdp_ws_url);
  try {
    const page = browser.contexts()[0]?.pages()[0];
    await page?.goto(site.origin);
    const expires = Date.now() / 1000 + 86_400;
    await page?.context().addCookies([{ name: "visits", value: "1", url: site.origin, expires }]);
    await page?.evaluate((html) => {
      document.body.innerHTML = html;
    }, SHOP);
    await page?.evaluate(async () => {
      localStorage.setItem("cart", "3");
      console.log("cart loaded", { items: 3 });
      console.error("price service is slow");
      await (await fetch("/missing")).text();
    });
  } finally {
    await browser.close();
  }
  return { id: session.session_id };
}

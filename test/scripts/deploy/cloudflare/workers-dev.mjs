// Sends requests for *.workers.dev to the stand-in of Cloudflare, both those of the scripts and those of
// wrangler's remote bindings. Loaded by `node --import`.
import { registerHooks } from "node:module";

const standIn = new URL(process.env.WORKERS_DEV_URL);

const fetchDirectly = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (!url.hostname.endsWith(".workers.dev")) return fetchDirectly(input, init);
  return fetchDirectly(new URL(url.pathname + url.search, standIn), init);
};

/** The address of a preview, for remote bindings and for `wrangler dev --remote`. */
const PREVIEW = /protocol: "https:",\s+hostname: token\.host,\s+port: "443"/g;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith("/wrangler-dist/cli.js")) return loaded;
    const source = String(loaded.source);
    if (!PREVIEW.test(source)) throw new Error("wrangler has changed: update workers-dev.mjs");
    const address = `protocol: "http:", hostname: "${standIn.hostname}", port: "${standIn.port}"`;
    return { ...loaded, source: source.replaceAll(PREVIEW, address) };
  },
});

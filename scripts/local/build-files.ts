import { join } from "node:path";

export const BUILD_FILES = {
  /** The bundled Worker. */
  worker: join("worker", "index.js"),
  /** Miniflare options of wrangler.toml. */
  options: "worker-options.json",
  assets: "assets",
};

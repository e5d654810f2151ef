import { join } from "node:path";

/** The files of a build. */
export const BUILD_FILES = {
  /** The bundled Worker. */
  worker: join("worker", "index.js"),
  /** What wrangler makes of wrangler.toml for the local runtime. */
  options: "worker-options.json",
  /** Script of the Worker that is the browser binding. */
  browserBinding: "browser-binding.js",
  assets: "assets",
};

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** The files of a build. */
export const BUILD_FILES = {
  /** The bundled Worker. */
  worker: join("worker", "index.js"),
  /** Miniflare options of wrangler.toml. */
  options: "worker-options.json",
  assets: "assets",
};

const optionsSchema = z.looseObject({
  name: z.string(),
  bindings: z.record(z.string(), z.string()),
  browserRendering: z.object({ binding: z.string() }),
  d1Databases: z.object({ DB: z.object({ id: z.string() }) }),
  assets: z.object({ binding: z.string() }),
});

export function readServiceOptions(build: string) {
  const text = readFileSync(join(build, BUILD_FILES.options), "utf8");
  const { browserRendering, assets, ...options } = optionsSchema.parse(JSON.parse(text));
  const entry = join(build, BUILD_FILES.worker);
  return {
    worker: {
      ...options,
      modules: [{ type: "ESModule" as const, path: entry }],
      modulesRoot: join(build, "worker"),
    },
    assets: { binding: assets.binding, directory: join(build, BUILD_FILES.assets) },
    database: { worker: options.name, id: options.d1Databases.DB.id },
    browsers: { binding: browserRendering.binding },
  };
}

import { WorkerEntrypoint } from "cloudflare:workers";
import { createWorker } from "@cloudflare/worker-bundler";

export interface BundleRequest {
  /** Path and text of each file. */
  files: Record<string, string>;
  entrypoint: string;
  /** Modules that the code finds where it runs. */
  externals: string[];
  /** Where missing packages come from; absent: npm's own registry. */
  registry?: string;
}

export type BundleAnswer =
  /** One module with its source map in a comment. */
  { ok: true; code: string; warnings: string[] } | { ok: false; message: string };

/** Makes one module of an app's files. */
export class Bundler extends WorkerEntrypoint {
  override async fetch(request: Request): Promise<Response> {
    const { files, entrypoint, externals, registry } = await request.json<BundleRequest>();
    return Response.json(await bundle());

    async function bundle(): Promise<BundleAnswer> {
      try {
        const options = { files, entryPoint: entrypoint, externals, sourcemap: true };
        const {
          mainModule,
          modules,
          warnings = [],
        } = await createWorker(registry === undefined ? options : { ...options, registry });
        const code = modules[mainModule];
        if (typeof code !== "string") return { ok: false, message: `${mainModule} is no JavaScript` };
        return { ok: true, code, warnings };
      } catch (error) {
        return { ok: false, message: error instanceof Error ? error.message : String(error) };
      }
    }
  }
}

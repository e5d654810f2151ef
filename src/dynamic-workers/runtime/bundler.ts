import * as platform from "cloudflare:workers";
import esbuild from "esbuild.wasm";
import { type BuildFailure, build, initialize, type Message } from "esbuild-wasm";
import { ArchiveError } from "../../archives/archive-error.ts";
import { ZippedFiles } from "./bundling/app-files.ts";
import { appModules, withoutNamespace } from "./bundling/app-modules.ts";
import { findTooLarge } from "./bundling/bundle-size.ts";
import { readCompilerOptions } from "./bundling/compiler-options.ts";
import { installPackages } from "./bundling/package-installation.ts";

/** What is asked of the bundler, in the query of a request whose body is the app's zip. */
export interface BundleOptions {
  /** Path of the module to begin with. */
  entrypoint: string;
  /** Packages that the app finds where it runs. */
  provided: readonly string[];
  /** Whether packages that the zip lacks are fetched. */
  installs: boolean;
  /** Where from; empty: npm's own registry. */
  registry: string;
}

export type BundleAnswer =
  | {
      ok: true;
      /** One module. */
      code: string;
      /** From positions in it to those in the app's files, as JSON. */
      sourceMap: string;
      /** Packages that were fetched, as `name@version`. */
      installed: string[];
    }
  /** What is wrong, for whoever wrote the app. */
  | { ok: false; problems: string[] };

const MAX_PROBLEMS = 10;

/** Makes one module of an app's files: POST with the zip. */
export class Bundler extends platform.WorkerEntrypoint {
  override async fetch(request: Request): Promise<Response> {
    await initialize({ wasmModule: esbuild, worker: false });
    const options: BundleOptions = JSON.parse(new URL(request.url).searchParams.get("options") ?? "");
    return Response.json(await bundle(await request.bytes(), options));
  }
}

/** Ends this Worker with whatever is still under way in it, and lets its memory go. */
export class Retirement extends platform.WorkerEntrypoint {
  override fetch(): Response {
    platform.abortIsolate?.("retired");
    return new Response(null, { status: 204 });
  }
}

async function bundle(zip: Uint8Array, options: BundleOptions): Promise<BundleAnswer> {
  try {
    const files = await ZippedFiles.open(zip);
    const { installed, problems } = options.installs
      ? await installPackages(files, options.provided, options.registry || undefined)
      : { installed: [], problems: [] };
    if (problems.length > 0) return { ok: false, problems };
    const { warnings, outputFiles } = await build({
      entryPoints: [options.entrypoint],
      bundle: true,
      write: false,
      outfile: "/app.js",
      format: "esm",
      // Node's modules are there by their full names; the plugin sees to that.
      platform: "node",
      target: "es2024",
      sourcemap: "external",
      sourcesContent: false,
      legalComments: "none",
      logLevel: "silent",
      tsconfigRaw: { compilerOptions: await readCompilerOptions(files) },
      plugins: [appModules(files, options.provided)],
    });
    if (warnings.length > 0) return { ok: false, problems: warnings.map(describe) };
    const code = outputFiles.find(({ path }) => path.endsWith(".js"));
    const sourceMap = outputFiles.find(({ path }) => path.endsWith(".map"));
    if (code === undefined || sourceMap === undefined) throw new Error("The bundler made nothing");
    const tooLarge = findTooLarge({ code: code.contents.length, sourceMap: sourceMap.contents.length });
    if (tooLarge.length > 0) return { ok: false, problems: tooLarge };
    return { ok: true, code: code.text, sourceMap: withoutNamespace(sourceMap.text), installed };
  } catch (error) {
    if (error instanceof ArchiveError) return { ok: false, problems: [error.message] };
    if (isBuildFailure(error))
      return { ok: false, problems: error.errors.slice(0, MAX_PROBLEMS).map(describe) };
    throw error;
  }
}

function describe({ text, location }: Message): string {
  const place = location === null ? "" : `${location.file}:${location.line}:${location.column + 1}: `;
  return withoutNamespace(place + text);
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}

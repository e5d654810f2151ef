import * as platform from "cloudflare:workers";
import esbuild from "esbuild.wasm";
import { type BuildFailure, build, initialize, type Message } from "esbuild-wasm";
import { ArchiveError } from "../../../lib/archives/archive-error.ts";
import { isStackOverflow, NESTED_TOO_DEEPLY } from "../nested-code.ts";
import { ZippedFiles } from "./bundling/app-files.ts";
import { appModules, withoutNamespace } from "./bundling/app-modules.ts";
import { findSizeProblems } from "./bundling/bundle-size.ts";
import { readCompilerOptions } from "./bundling/compiler-options.ts";
import { installPackages } from "./bundling/package-installation.ts";

/** Sent in the query of a request whose body is the app's zip. */
export interface BundleOptions {
  entrypoint: string;
  /** Packages that the runtime provides. */
  provided: readonly string[];
  installs: boolean;
  /** Empty for npm's. */
  registry: string;
}

export type BundleAnswer =
  | {
      ok: true;
      code: string;
      sourceMap: string;
      /** Packages as `name@version`. */
      installed: string[];
    }
  | { ok: false; problems: string[] };

const MAX_PROBLEMS = 10;

export class Bundler extends platform.WorkerEntrypoint {
  override async fetch(request: Request): Promise<Response> {
    await initialize({ wasmModule: esbuild, worker: false });
    const options: BundleOptions = JSON.parse(new URL(request.url).searchParams.get("options") ?? "");
    return Response.json(await bundle(await request.bytes(), options));
  }
}

export class Shutdown extends platform.WorkerEntrypoint {
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
    if (code === undefined || sourceMap === undefined) throw new Error("The bundler produced no output");
    const sizes = { code: code.contents.length, sourceMap: sourceMap.contents.length };
    const sizeProblems = findSizeProblems(sizes);
    if (sizeProblems.length > 0) return { ok: false, problems: sizeProblems };
    return { ok: true, code: code.text, sourceMap: withoutNamespace(sourceMap.text), installed };
  } catch (error) {
    if (error instanceof ArchiveError) return { ok: false, problems: [error.message] };
    if (isBuildFailure(error))
      return { ok: false, problems: error.errors.slice(0, MAX_PROBLEMS).map(describe) };
    if (isStackOverflow(error)) return { ok: false, problems: [NESTED_TOO_DEEPLY] };
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

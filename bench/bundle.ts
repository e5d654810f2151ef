import { buildSync } from "esbuild";

/** @returns the script of a file and its imports. */
export function bundle(file: string, target: string): string {
  const options = { bundle: true, write: false, format: "esm", target } as const;
  return buildSync({ entryPoints: [file], ...options })
    .outputFiles.map(({ text }) => text)
    .join();
}

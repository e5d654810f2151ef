/** What the runtime has and the platform's types do not. */
declare module "node:util" {
  export function format(...values: unknown[]): string;
  export function inspect(value: unknown): string;
}

declare module "node:module" {
  export function isBuiltin(name: string): boolean;
}

interface NodeOutputStream {
  write: (text: unknown) => boolean;
}

declare const process: Record<"stdout" | "stderr", NodeOutputStream>;

interface ErrorConstructor {
  /** How many frames an error's stack has. */
  stackTraceLimit: number;
}

declare namespace CloudflareWorkersModule {
  /** Ends the isolate at once, with all that runs in it. */
  export const abortIsolate: ((reason: string) => never) | undefined;
}

/** Missing in the types of the platform. */
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
  stackTraceLimit: number;
}

declare namespace CloudflareWorkersModule {
  export const abortIsolate: ((reason: string) => never) | undefined;
}

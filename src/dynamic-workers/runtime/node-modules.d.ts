/** The parts of Node's modules that are used; the platform's types have none of them. */
declare module "node:util" {
  export function format(...values: unknown[]): string;
}

declare module "node:async_hooks" {
  export class AsyncLocalStorage<T> {
    getStore(): T | undefined;
    run<R>(store: T, work: () => R): R;
  }
}

declare module "node:module" {
  export function isBuiltin(name: string): boolean;
}

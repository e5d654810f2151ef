/** The part of `node:dns/promises` that is used; the platform's types have none of Node's modules. */
declare module "node:dns/promises" {
  export function resolve4(name: string): Promise<string[]>;
  export function resolve6(name: string): Promise<string[]>;
}

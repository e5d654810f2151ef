/** The types of the platform do not include Node's modules. */
declare module "node:dns/promises" {
  export function resolve4(name: string): Promise<string[]>;
  export function resolve6(name: string): Promise<string[]>;
}

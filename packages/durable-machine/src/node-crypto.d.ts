/** What is used of Node's module, which the types of workerd lack. */
declare module "node:crypto" {
  export function createHash(algorithm: string): {
    update(data: Uint8Array): void;
    digest(encoding: "hex"): string;
  };
}

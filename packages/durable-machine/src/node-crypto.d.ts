/** The types of workerd lack Node's modules. */
declare module "node:crypto" {
  export function randomInt(min: number, max?: number): number;
  export function createHash(algorithm: string): {
    update(data: Uint8Array): void;
    digest(encoding: "hex"): string;
  };

  /** A random integer from `min`, by default 0, to below `max`. */
  export function randomInt(max: number): number;
  export function randomInt(min: number, max: number): number;
}

declare const signature: unique symbol;

export type PageFunction<F> = string & { readonly [signature]?: F };

export function toCall<A extends unknown[]>(
  source: PageFunction<(...args: A) => unknown>,
  ...args: A
): string {
  return `(${source})(${args.map((argument) => JSON.stringify(argument)).join()})`;
}

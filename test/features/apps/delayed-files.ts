import { env } from "cloudflare:workers";
import { afterEach } from "vitest";

/** Lets the tests of a file delay R2 reads or writes until the end of each test. */
export function useDelayedFiles(): (method: "get" | "put", wait: (key: string) => Promise<void>) => void {
  const real = env.FILES;
  afterEach(() => {
    env.FILES = real;
  });
  return (method, wait) => {
    env.FILES = new Proxy(real, {
      get: (files, property) => {
        const value = Reflect.get(files, property);
        if (typeof value !== "function") return value;
        if (property !== method) return value.bind(files);
        return async (key: string, ...others: unknown[]) => {
          await wait(key);
          return Reflect.apply(value, files, [key, ...others]);
        };
      },
    });
  };
}

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect } from "vitest";

/** Workers of one kind that deployments have loaded in a test. */
export interface WatchedWorkers {
  readonly loaded: number;
  /** Waits until so many were loaded, and each of them was ended. */
  expectEnded(count: number): Promise<void>;
}

/** Watches Workers with this main module. */
export function watchWorkers(mainModule: string): WatchedWorkers {
  const loader = env.LOADER;
  let loaded = 0;
  /** How the calls that end them came out: one that ends its Worker has no answer. */
  let ends: string[] = [];

  const watch = (worker: WorkerStub): WorkerStub => {
    loaded += 1;
    const getEntrypoint = (name: string) => {
      const entrypoint = worker.getEntrypoint(name);
      const fetch: typeof entrypoint.fetch = (...parameters) => {
        const answer = entrypoint.fetch(...parameters);
        if (name === "Shutdown") {
          answer.then(
            () => ends.push("an answer"),
            () => ends.push("the end"),
          );
        }
        return answer;
      };
      return { fetch };
    };
    // Nothing else of it is used; above all it is no promise.
    return new Proxy(worker, {
      get: (_, property) => (property === "getEntrypoint" ? getEntrypoint : undefined),
    });
  };

  beforeEach(() => {
    loaded = 0;
    ends = [];
    env.LOADER = {
      get: (...parameters) => loader.get(...parameters),
      load: (code) => (code.mainModule === mainModule ? watch(loader.load(code)) : loader.load(code)),
    };
  });
  afterEach(() => {
    env.LOADER = loader;
  });

  return {
    get loaded() {
      return loaded;
    },
    async expectEnded(count) {
      await expect.poll(() => ends).toEqual(Array(count).fill("the end"));
      expect(loaded).toBe(count);
    },
  };
}

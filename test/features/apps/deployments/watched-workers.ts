import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect } from "vitest";

export interface WatchedWorkers {
  readonly loaded: number;
  /** Waits until this many have been terminated, and expects that no more were loaded. */
  expectTerminated(count: number): Promise<void>;
}

export function watchWorkers(mainModule: string): WatchedWorkers {
  const loader = env.LOADER;
  let loaded = 0;
  /** Outcomes of the requests that terminate a Worker, which gets no response when it works. */
  let ends: string[] = [];

  const watch = (worker: WorkerStub): WorkerStub => {
    loaded += 1;
    const getEntrypoint = (name: string) => {
      const entrypoint = worker.getEntrypoint(name);
      const fetch: typeof entrypoint.fetch = (...parameters) => {
        const response = entrypoint.fetch(...parameters);
        if (name === "Shutdown") {
          response.then(
            () => ends.push("response"),
            () => ends.push("terminated"),
          );
        }
        return response;
      };
      return { fetch };
    };
    // Other properties must be undefined, above all `then`, or it would be treated as a promise.
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
    async expectTerminated(count) {
      await expect.poll(() => ends).toEqual(Array(count).fill("terminated"));
      expect(loaded).toBe(count);
    },
  };
}

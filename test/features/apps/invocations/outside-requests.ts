import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, vi } from "vitest";

/** Requests of apps to other hosts, none of which leaves the machine. */
export interface OutsideRequests {
  readonly urls: string[];
  /** Responds with 204 by default, and is reset after each test. */
  respond: (request: Request) => Response | Promise<Response>;
}

export function mockOutsideRequests(): OutsideRequests {
  const noContent: OutsideRequests["respond"] = () => new Response(null, { status: 204 });
  const outside = { urls: [] as string[], respond: noContent };
  const { ALLOW_PRIVATE_ADDRESSES } = env;
  beforeAll(() => {
    env.ALLOW_PRIVATE_ADDRESSES = "true";
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      outside.urls.push(request.url);
      return outside.respond(request);
    });
  });
  afterEach(() => {
    outside.respond = noContent;
    outside.urls.length = 0;
  });
  afterAll(() => {
    env.ALLOW_PRIVATE_ADDRESSES = ALLOW_PRIVATE_ADDRESSES;
    vi.restoreAllMocks();
  });
  return outside;
}

import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, vi } from "vitest";

/** Requests that apps made to other hosts, which nothing leaves the machine of. */
export interface OutsideRequests {
  /** Their addresses, in order. */
  readonly urls: string[];
  /** What answers; empty answers unless set, and again after each test. */
  answer: (request: Request) => Response | Promise<Response>;
}

/** Answers what apps ask of other hosts, private ones included, in the place of the network. */
export function answerOutsideRequests(): OutsideRequests {
  const nothing: OutsideRequests["answer"] = () => new Response(null, { status: 204 });
  const outside = { urls: [] as string[], answer: nothing };
  const { ALLOW_PRIVATE_ADDRESSES } = env;
  beforeAll(() => {
    env.ALLOW_PRIVATE_ADDRESSES = "true";
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      outside.urls.push(request.url);
      return outside.answer(request);
    });
  });
  afterEach(() => {
    outside.answer = nothing;
    outside.urls.length = 0;
  });
  afterAll(() => {
    env.ALLOW_PRIVATE_ADDRESSES = ALLOW_PRIVATE_ADDRESSES;
    vi.restoreAllMocks();
  });
  return outside;
}

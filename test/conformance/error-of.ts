import { APIError } from "@onkernel/sdk";

/** @returns the error that the API answers a request of the SDK with. */
export async function errorOf(request: PromiseLike<unknown>): Promise<APIError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error("the request was expected to fail");
}

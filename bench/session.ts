import type Kernel from "@onkernel/sdk";

/** Creates a session that ends with its scope. */
export async function openSession(kernel: Kernel, options: Kernel.BrowserCreateParams = {}) {
  const session = await kernel.browsers.create({ timeout_seconds: 600, ...options });
  return {
    ...session,
    [Symbol.asyncDispose]: () => kernel.browsers.deleteByID(session.session_id),
  };
}

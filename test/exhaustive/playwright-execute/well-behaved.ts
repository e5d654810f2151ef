import type Kernel from "@onkernel/sdk";

const CODE = `
  const own = await context.newPage();
  try {
    await own.setContent('<button onclick="this.textContent = Number(this.textContent) + 1">0</button>');
    for (let n = 0; n < 5; n++) await own.click("button");
    return await own.textContent("button");
  } finally {
    await own.close();
  }`;

/** Runs an ordinary script. @returns its duration in milliseconds. @throws when it fails. */
export async function runWellBehaved(kernel: Kernel, sessionId: string): Promise<number> {
  const startedAt = performance.now();
  const { success, result, error } = await kernel.browsers.playwright.execute(sessionId, { code: CODE });
  if (!success || result !== "5") throw new Error(`${error ?? result}`);
  return performance.now() - startedAt;
}

import { expect, it, vi } from "vitest";
import { dropEvents, openControlConnection } from "../../../src/platform/browser/index.ts";
import { socketPair } from "../../sockets.ts";

const WAIT = { timeout: 30_000 };

const TARGET = { targetId: "T", type: "page", title: "", url: "", attached: true, canAccessOpener: false };

/** As Chrome sends them: the session is last. */
function frame(method: string, params: object, sessionId?: string): string {
  return JSON.stringify({ method, params, sessionId });
}

it("drops the events of a session before they are parsed", async () => {
  const [webSocket, browser] = socketPair();
  const fetch = async () => new Response(null, { status: 101, webSocket });
  const connection = await openControlConnection({ fetch }, "browser");
  for (const sessionId of ["one", "other"])
    browser.send(
      frame("Target.attachedToTarget", { sessionId, targetInfo: TARGET, waitingForDebugger: false }),
    );
  const [one, other] = await vi.waitUntil(() => {
    const sessions = [connection.session("one"), connection.session("other")];
    return sessions[0] && sessions[1] ? [sessions[0], sessions[1]] : undefined;
  }, WAIT);
  if (one === undefined || other === undefined) throw new Error("not attached");
  const seen: string[] = [];
  one.on("Network.loadingFinished", ({ requestId }) => seen.push(`one ${requestId}`));
  one.on("Runtime.consoleAPICalled", () => seen.push("one console"));
  other.on("Network.loadingFinished", ({ requestId }) => seen.push(`other ${requestId}`));
  const send = async (last: string) => {
    const name = `"sessionId":"other"`;
    for (const session of ["one", "other"])
      browser.send(frame("Network.loadingFinished", { requestId: `${last} ${name}` }, session));
    browser.send(frame("Runtime.consoleAPICalled", {}, "one"));
    await vi.waitUntil(() => seen.at(-1) === "one console", WAIT);
    return seen.splice(0).map((text) => text.replace(` ${name}`, ""));
  };
  const all = (last: string) => [`one ${last}`, `other ${last}`, "one console"];
  expect(await send("1")).toEqual(all("1"));
  const dropped = dropEvents(one, ["Network."]);
  expect(await send("2")).toEqual(["other 2", "one console"]);
  dropped.end();
  dropped.end();
  const again = dropEvents(one, ["Network."]);
  dropped.end();
  expect(await send("3")).toEqual(["other 3", "one console"]);
  again.end();
  expect(await send("4")).toEqual(all("4"));
  connection.dispose();
});

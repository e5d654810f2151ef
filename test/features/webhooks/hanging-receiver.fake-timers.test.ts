import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { sendMessage } from "../../../src/features/webhooks/send-message.ts";
import { findReceiver } from "../../../src/features/webhooks/store.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { newClient } from "../../api.ts";
import { createWebhook, useFakeReceivers } from "./webhooks.ts";

const receivers = useFakeReceivers();

it("a receiver that never answers fails after 10 seconds, and its request is aborted", async () => {
  const { id } = await createWebhook(await newClient());
  const row = await findReceiver(openDatabase(env.DB), id);
  if (row === undefined) throw new Error("no webhook");
  const asked = Promise.withResolvers<AbortSignal>();
  receivers.respond = (request) => {
    asked.resolve(request.signal);
    return new Promise(() => {});
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const sending = sendMessage(env, row, { id: "message", body: "{}" });
  const signal = await asked.promise;
  vi.advanceTimersByTime(9999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await sending).toEqual({ error: "Operation timed out after 10000 milliseconds" });
  expect(signal.aborted).toBe(true);
});

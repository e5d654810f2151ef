import { afterEach, describe, expect, it, vi } from "vitest";
import { newClient } from "../../../api.ts";
import { useFakeBrowsers } from "../../../fakes/browser-binding.ts";
import { createDestination } from "./destinations.ts";
import { FakeReceiver } from "./receiver.ts";

useFakeBrowsers();

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a session that exports its events", () => {
  it("sends all of them, with its labels, until its end", async () => {
    const client = await newClient();
    const { id: destination } = await createDestination(client);
    const receiver = new FakeReceiver();
    const session = await client.createSession({
      name: "exported",
      tags: { team: "blue" },
      telemetry: { export: { otlp: { destination: "collector" } } },
    });
    expect(session.telemetry?.export).toEqual({ otlp: { destination } });
    await client.delete(`/browsers/${session.session_id}`);
    await expect.poll(() => receiver.eventNames).toContain("session_ended");
    expect(receiver.eventNames).toEqual(["session_started", "api_call", "session_ended"]);
    expect(receiver.requests[0]?.resource).toMatchObject({
      "berth.session.id": session.session_id,
      "berth.session.name": "exported",
      "berth.tag.team": "blue",
    });
  });

  it("begins and ends the export when it is changed", async () => {
    const client = await newClient();
    await createDestination(client);
    const receiver = new FakeReceiver();
    const { session_id: id } = await client.createSession();
    const change = async (destination: string) => {
      const telemetry = { export: { otlp: { destination } } };
      return client.patch(`/browsers/${id}`, { telemetry });
    };
    expect((await change("unknown")).invalidFields).toEqual(["telemetry.export.otlp.destination"]);
    expect((await change("collector")).status).toBe(200);
    await client.get(`/browsers/${id}`);
    expect((await change("")).json).toMatchObject({ telemetry: null });
    await expect.poll(() => receiver.eventNames.length).toBeGreaterThan(0);
    await client.delete(`/browsers/${id}`);
    expect(receiver.eventNames).not.toContain("session_ended");
  });

  it("refuses the destination of another organization", async () => {
    const [client, other] = [await newClient(), await newClient()];
    const { id: destination } = await createDestination(other);
    const telemetry = { export: { otlp: { destination } } };
    const refused = await client.post("/browsers", { telemetry });
    expect(refused.invalidFields).toEqual(["telemetry.export.otlp.destination"]);
  });
});

import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { SharedService } from "../conformance/shared-service.ts";

const LENGTH = 4 * 1024 * 1024;

const FIRST_BYTES = 256 * 1024;

const ANSWER_TIMEOUT_MS = 20_000;

const service = await SharedService.use();

/** Sends the beginning of a file. */
function beginUpload(id: string): ClientRequest {
  const sent = request(`${service.baseURL}/browsers/${id}/fs/write_file?path=/tmp/large`, {
    method: "PUT",
    agent: false,
    headers: {
      authorization: `Bearer ${service.apiKey}`,
      "content-type": "application/octet-stream",
      "content-length": LENGTH,
    },
  });
  sent.on("error", () => {});
  sent.write(Buffer.alloc(FIRST_BYTES));
  return sent;
}

async function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const [response]: IncomingMessage[] = await once(sent, "response", { signal });
  if (response === undefined) throw new Error("no response");
  return response;
}

test("an upload to a session that has ended is answered at its headers, and may be sent to its end", async () => {
  const kernel = service.kernel();
  const { session_id } = await kernel.browsers.create();
  await kernel.browsers.deleteByID(session_id);
  const response = await answerOf(beginUpload(session_id));
  expect(response.statusCode).toBe(404);
  expect(JSON.parse(await text(response))).toMatchObject({ code: "not_found" });
  // Unlike Node's client, others keep sending.
  const { hostname, port } = new URL(service.baseURL);
  const socket = connect(Number(port), hostname);
  const head = [
    `PUT /browsers/${session_id}/fs/write_file?path=/tmp/large HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${service.apiKey}`,
    `Content-Length: ${LENGTH}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  const [answer]: Buffer[] = await once(socket, "data", { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  expect(String(answer)).toMatch(/^HTTP\/1.1 404 /);
  const sending = new Promise((resolve) => socket.write(Buffer.alloc(LENGTH), resolve));
  expect(await sending).toBeFalsy();
  socket.destroy();
});

test("an upload is answered when its session ends", async () => {
  const kernel = service.kernel();
  const { session_id } = await kernel.browsers.create();
  const sent = beginUpload(session_id);
  const answer = answerOf(sent);
  const isOpened = () => service.log.events({ event: "machine_opened", session_id }).length;
  await expect.poll(isOpened).toBe(1);
  await kernel.browsers.deleteByID(session_id);
  expect((await answer).statusCode).toBe(404);
  sent.destroy();
});

test("a client that leaves during an upload is no failure of the service", async () => {
  const kernel = service.kernel();
  const { session_id } = await kernel.browsers.create();
  const sent = beginUpload(session_id);
  const isOpened = () => service.log.events({ event: "machine_opened", session_id }).length;
  await expect.poll(isOpened).toBe(1);
  const mark = service.log.mark();
  sent.destroy();
  const exec = () => kernel.browsers.process.exec(session_id, { command: "ls", args: ["/tmp/large"] });
  await expect.poll(async () => (await exec()).exit_code).not.toBe(0);
  await kernel.browsers.deleteByID(session_id);
  expect(service.log.textSince(mark)).not.toMatch(/machine_call_failed|request_failed/);
});

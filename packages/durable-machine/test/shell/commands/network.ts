import type { MachineFetch, MachineRequest } from "../../../src/network.ts";
import { KERNEL, KERNEL_USER } from "../../identity.ts";
import { DIRECTORY, onMachine, type TestMachine } from "../processes.ts";

export interface SentRequest extends MachineRequest {
  url: string;
  method: string;
  /** A character for each byte. */
  text: string;
  /** The named headers as `name: value`. */
  fields: (...names: string[]) => string[];
}

/** A response, its text, or the reason of a failure. */
type Reply = Response | string | { reason: string };

export type Server = (request: SentRequest) => Promise<Reply> | Reply;

/** The machine of an ordinary user on a fake network. */
export interface Terminal {
  machine: TestMachine;
  sent: SentRequest[];
  fetch: MachineFetch;
  /** Runs a script in an empty directory. */
  run: (script: string) => Promise<{ stdout: string; stderr: string; code: number | undefined }>;
  read: (name: string) => string;
  write: (name: string, bytes: Uint8Array | string) => void;
  list: (name?: string) => string[];
}

export function withNetwork(respond: Server, test: (terminal: Terminal) => Promise<void>): Promise<void> {
  return onMachine(async (machine) => {
    const sent: SentRequest[] = [];
    const fetch: MachineFetch = async (url, request = {}) => {
      const headers = new Headers(request.headers);
      const text = Buffer.from(request.body ?? "").toString("latin1");
      const fields = (...names: string[]) => names.map((name) => `${name}: ${headers.get(name)}`);
      const received: SentRequest = { ...request, url, method: request.method ?? "GET", text, fields };
      sent.push(received);
      const reply = await respond(received);
      if (typeof reply !== "string" && "reason" in reply) {
        throw Object.assign(new Error(`It is ${reply.reason}`), reply);
      }
      const response = typeof reply === "string" ? new Response(reply) : reply;
      const { status, statusText, headers: responseHeaders } = response;
      const body = request.method === "HEAD" ? new Uint8Array() : await response.bytes();
      return { status, statusText, headers: responseHeaders, body, url };
    };
    const path = (name: string) => `${DIRECTORY}/${name}`;
    await test({
      machine,
      sent,
      fetch,
      run: async (script) => {
        const { stdout, stderr, end } = await machine.bash(script, { user: KERNEL_USER, fetch });
        return { stdout, stderr, code: end.by === "exit" ? end.code : undefined };
      },
      read: (name) => Buffer.from(machine.files.readAll(path(name), KERNEL)).toString("latin1"),
      write: (name, bytes) =>
        machine.files.writeAll(path(name), typeof bytes === "string" ? Buffer.from(bytes) : bytes, KERNEL),
      list: (name = "") => machine.files.list(path(name), KERNEL).map((entry) => entry.name),
    });
  });
}

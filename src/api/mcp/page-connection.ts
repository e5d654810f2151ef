import { recordSessionUsage } from "../../features/usage/index.ts";
import {
  type ModuleName,
  nameWorker,
  readModules,
  requireLoader,
  retireWorker,
  toWorkerCode,
} from "../../platform/dynamic-workers/index.ts";
import type { PagesProps } from "./page-driver/main.ts";
import type { PageAnswer, PageOutput } from "./page-schemas.ts";

const MODULES = ["page-driver.js", "@cloudflare/playwright"] as const satisfies ModuleName[];

/** The plan's maximum, because a connection lasts as long as the MCP session uses its browser. */
const CPU_LIMIT_MS = 300_000;

const DRIVER_URL = "https://driver.invalid/";

/** The Dynamic Worker with Playwright that runs the page tools of one MCP session. */
export class PageWorker {
  readonly #env: Env;
  readonly #mcpSession: string;
  #name: string | undefined;

  /** @param mcpSession its id: a page that takes all memory must not disconnect other MCP sessions. */
  constructor(env: Env, mcpSession: string) {
    this.#env = env;
    this.#mcpSession = mcpSession;
  }

  /** @throws ServiceError 501 without Dynamic Workers. */
  async connect(props: PagesProps): Promise<PageConnection> {
    const loader = requireLoader(this.#env);
    const modules = await readModules(this.#env, MODULES);
    const code = toWorkerCode({ mainModule: MODULES[0], modules, outbound: null, cpuMs: CPU_LIMIT_MS });
    const name = await nameWorker("page-driver", code, this.#mcpSession);
    const isFirst = this.#name === undefined;
    this.#name = name;
    if (isFirst) await recordSessionUsage(this.#env, props.sessionId, { dynamicWorkers: 1 });
    const driver = loader.get(name, () => code).getEntrypoint("Pages", { props });
    const { webSocket } = await driver.fetch(DRIVER_URL, { headers: { upgrade: "websocket" } });
    if (webSocket === null) throw new Error("The page driver does not answer");
    return new PageConnection(webSocket, props.tab);
  }

  async retire(): Promise<void> {
    const refuse = () => Promise.reject(new Error("The Worker has ended"));
    if (this.#name !== undefined) await retireWorker(requireLoader(this.#env).get(this.#name, refuse));
  }
}

/** A connection of the page tools to one browser. References of snapshots are valid as long as it lasts. */
export class PageConnection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: PageAnswer) => void>();
  #lastId = 0;
  /** The id of the current tab. */
  tab: string | undefined;
  #end: string | undefined;

  constructor(socket: WebSocket, tab: string | undefined) {
    this.#socket = socket;
    this.tab = tab;
    socket.accept();
    socket.addEventListener("message", ({ data }) => {
      const answer: PageAnswer = JSON.parse(String(data));
      this.tab = answer.tab ?? this.tab;
      this.#waiting.get(answer.id)?.(answer);
    });
    socket.addEventListener("close", ({ reason }) => this.close(reason));
    socket.addEventListener("error", () => this.close());
  }

  get isOpen(): boolean {
    return this.#end === undefined;
  }

  /** An abort closes the connection: nothing else stops what the page is doing. @throws Error of the tool. */
  async call({ tool, input }: { tool: string; input: object }, signal: AbortSignal): Promise<PageOutput> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<PageAnswer>();
    const abort = () => this.close("the call was cancelled");
    signal.addEventListener("abort", abort);
    this.#waiting.set(id, resolve);
    try {
      if (this.#end === undefined) this.#socket.send(JSON.stringify({ id, tool, input }));
      const answer = this.#end === undefined ? await promise : { id, error: this.#end };
      if ("error" in answer) throw new Error(answer.error);
      return answer;
    } finally {
      this.#waiting.delete(id);
      signal.removeEventListener("abort", abort);
    }
  }

  close(reason = ""): void {
    if (this.#end !== undefined) return;
    this.#end = `The connection to the browser has ended: ${reason || "it was lost"}. Call browser_snapshot to continue.`;
    this.#socket.close(1000);
    for (const [id, resolve] of this.#waiting) resolve({ id, error: this.#end });
  }
}

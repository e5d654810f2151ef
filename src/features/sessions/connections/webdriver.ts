import { serviceUnavailable } from "../../../lib/common/errors.ts";
import {
  BidiConnection,
  bidiPromptBehavior,
  ClassicSession,
  type WebDriverAnswer,
  WebDriverError,
  type WebDriverRequest,
  type WebDriverSettings,
} from "../../webdriver/index.ts";
import type { ClientTarget, SessionClients } from "./clients.ts";
import type { ConnectionScope } from "./scope.ts";

/** A session's WebDriver clients. Each has a DevTools connection like any client, so the same rules apply. */
export class SessionWebDriver {
  readonly #scope: ConnectionScope;
  readonly #clients: SessionClients;
  readonly #classic: ClassicSession;

  constructor(scope: ConnectionScope, clients: SessionClients) {
    this.#scope = scope;
    this.#clients = clients;
    const { storage } = scope.state;
    this.#classic = new ClassicSession({
      open: () => {
        const { browserId, urlGeneration: generation } = scope.state.requireLiving();
        if (browserId === undefined) throw serviceUnavailable("This session is still starting");
        return this.#open({ browserId, generation, isPassive: true });
      },
      read: () => storage.readWebDriver(),
      save: (state) => {
        if (scope.record?.phase === "active") storage.writeWebDriver(state);
      },
    });
  }

  /** @param isBegun whether `POST /session` began the session. @returns the response to a BiDi upgrade. */
  async connectBidi(target: ClientTarget, isBegun: boolean): Promise<Response> {
    // Prompts stay open for the commands of WebDriver classic, unless the client has said otherwise.
    const { acceptInsecureCerts, unhandledPromptBehavior } = this.#scope.state.storage.readWebDriver() ?? {};
    const browser = await this.#open(target);
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    const begun = {
      acceptInsecureCerts,
      unhandledPromptBehavior: bidiPromptBehavior(unhandledPromptBehavior),
    };
    new BidiConnection(server, browser, isBegun ? begun : undefined);
    return new Response(null, { status: 101, webSocket: client });
  }

  async beginClassic(settings: WebDriverSettings): Promise<string> {
    using _use = this.#scope.activity.begin();
    return JSON.stringify(
      await this.#classic.begin(settings).catch((error) => {
        throw error instanceof WebDriverError ? serviceUnavailable(error.message, 1, error) : error;
      }),
    );
  }

  /** @param check see {@link ClassicSession.handle}. */
  async handleClassic(request: WebDriverRequest, check: () => void): Promise<WebDriverAnswer> {
    using _use = this.#scope.activity.begin();
    return await this.#classic.handle(request, check);
  }

  async #open(target: ClientTarget): Promise<WebSocket> {
    const { webSocket } = await this.#clients.connect(target);
    if (webSocket === null) throw serviceUnavailable("The session's browser does not answer");
    webSocket.accept();
    return webSocket;
  }
}

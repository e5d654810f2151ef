import { TrieRouter } from "hono/router/trie-router";
import { ServiceError } from "../../../lib/common/errors.ts";
import { logError } from "../../../lib/common/log.ts";
import { presentCapabilities, type WebDriverSettings } from "./capabilities.ts";
import { COMMANDS, type Command } from "./commands.ts";
import { Driver, type DriverState } from "./driver.ts";
import { toAnswer, type WebDriverAnswer, WebDriverError } from "./errors.ts";

export interface WebDriverRequest {
  method: string;
  /** Below the session, without its leading slash. */
  path: string;
  body: unknown;
}

interface ClassicSessionOptions {
  /** Opens a DevTools socket and accepts it. */
  open: () => Promise<WebSocket>;
  /** The state survives a restart; undefined: no session was begun. */
  read: () => DriverState | undefined;
  save: (state: DriverState) => void;
}

const MAX_WAITING = 20;

/** These work while a prompt is open or a page loads. */
const FREE = /^(timeouts|window|window\/handles|alert\/\w+)$/;

const TABLE = new TrieRouter<Command>();
for (const command of COMMANDS) {
  const [method = "", path = ""] = command.route.split(" ");
  TABLE.add(method, `/${path}`, command);
}

/** One session of WebDriver classic. Its commands run one after another. */
export class ClassicSession {
  readonly #options: ClassicSessionOptions;
  #driver: Driver | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: ClassicSessionOptions) {
    this.#options = options;
  }

  /** @returns the capabilities for the client. */
  async begin(settings: WebDriverSettings): Promise<object> {
    return presentCapabilities(settings, (await this.#open(settings)).begun);
  }

  /**
   * @param check is called when it is the command's turn, and throws if its client may no longer use the
   * session.
   * @throws ServiceError 429 when too many commands wait.
   */
  handle(request: WebDriverRequest, check: () => void): Promise<WebDriverAnswer> {
    if (this.#waiting >= MAX_WAITING) {
      throw new ServiceError("too_many_requests", `${MAX_WAITING} commands of this session wait already`);
    }
    this.#waiting += 1;
    const answered = this.#last.then(() => {
      this.#waiting -= 1;
      check();
      return this.#handle(request);
    });
    this.#last = answered.catch(() => undefined);
    return answered;
  }

  async #handle({ method, path, body }: WebDriverRequest): Promise<WebDriverAnswer> {
    try {
      const [[[command, parameters] = []]] = TABLE.match(method, `/${path}`);
      if (command === undefined) {
        throw new WebDriverError("unknown command", `${method} ${path} is not available`);
      }
      const driver = await this.#connect();
      const run = async () =>
        command.run(driver, body, ...Object.values(parameters ?? {}).map(decodeURIComponent));
      return toAnswer(await driver.run(run, { isFree: FREE.test(path) }));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (!(error instanceof WebDriverError)) {
        logError("webdriver_command_failed", error);
        return new WebDriverError("unknown error", "The command failed").toAnswer();
      }
      const isOfFrame = error.code !== "no such frame" || path === "frame" || this.#driver?.state.frame;
      return (isOfFrame ? error : new WebDriverError("no such window", error.message)).toAnswer();
    }
  }

  async #connect(): Promise<Driver> {
    if (this.#driver?.bidi.isClosed === false) return this.#driver;
    const state = this.#options.read();
    if (state === undefined) throw new WebDriverError("invalid session id", "there is no such session");
    return (await this.#open(state)).driver;
  }

  async #open(state: DriverState): Promise<{ driver: Driver; begun: unknown }> {
    const { open, save } = this.#options;
    this.#driver?.bidi.close();
    const driver = new Driver(await open(), state, save);
    try {
      const begun = await driver.begin();
      this.#driver = driver;
      return { driver, begun };
    } catch (error) {
      driver.bidi.close();
      throw error;
    }
  }
}

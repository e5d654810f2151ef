import { ServiceError } from "../../common/errors.ts";
import { logError } from "../../common/log.ts";
import { presentCapabilities, type WebDriverSettings } from "./capabilities.ts";
import { COMMANDS } from "./commands.ts";
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

/** These work while a prompt is open or a page loads. */
const FREE = /^(GET|POST) (timeouts|window|window\/handles|alert\/\w+)$/;

const TABLE = COMMANDS.map((command) => ({
  ...command,
  steps: command.route.split(/[ /]/),
  isFree: FREE.test(command.route),
}));

/** One session of WebDriver classic. Its commands run one after another. */
export class ClassicSession {
  readonly #options: ClassicSessionOptions;
  #driver: Driver | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ClassicSessionOptions) {
    this.#options = options;
  }

  /** @returns the capabilities for the client. */
  async begin(settings: WebDriverSettings): Promise<Record<string, unknown>> {
    this.#options.save(settings);
    const driver = await this.#open(settings);
    return presentCapabilities(settings, await driver.begin());
  }

  handle(request: WebDriverRequest): Promise<WebDriverAnswer> {
    const answered = this.#last.then(() => this.#handle(request));
    this.#last = answered.catch(() => undefined);
    return answered;
  }

  async #handle({ method, path, body }: WebDriverRequest): Promise<WebDriverAnswer> {
    try {
      const found = findCommand(method, path);
      if (found === undefined)
        throw new WebDriverError("unknown command", `${method} ${path} is not available`);
      const { command, parameters } = found;
      const driver = await this.#connect();
      return toAnswer(await driver.run(async () => command.run(driver, body, ...parameters), command));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      return this.#toError(error, path).toAnswer();
    }
  }

  #toError(error: unknown, path: string): WebDriverError {
    if (!(error instanceof WebDriverError)) {
      logError("webdriver_command_failed", error);
      return new WebDriverError("unknown error", "The command failed");
    }
    const isOfWindow = error.code === "no such frame" && this.#driver?.state.frame === undefined;
    return isOfWindow && path !== "frame" ? new WebDriverError("no such window", error.message) : error;
  }

  async #connect(): Promise<Driver> {
    if (this.#driver?.bidi.isClosed === false) return this.#driver;
    const state = this.#options.read();
    if (state === undefined) throw new WebDriverError("invalid session id", "there is no such session");
    const driver = await this.#open(state);
    await driver.begin();
    return driver;
  }

  async #open(state: DriverState): Promise<Driver> {
    const { open, save } = this.#options;
    this.#driver = new Driver(await open(), state, save);
    return this.#driver;
  }
}

function findCommand(method: string, path: string) {
  const steps = [method, ...path.split("/")];
  const command = TABLE.find(
    (each) =>
      each.steps.length === steps.length &&
      each.steps.every((step, index) => step === ":" || step === steps[index]),
  );
  if (command === undefined) return undefined;
  const parameters = steps.filter((_, index) => command.steps[index] === ":").map(decodeURIComponent);
  return { command, parameters };
}

import { logError } from "../../lib/common/log.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { ACCOUNT_SEPARATOR, type BrowserBinding, listBrowsers } from "../browser/index.ts";

/** The account of this Worker. Its browsers keep the platform's ids. */
const OWN_ACCOUNT = "";

/** The names of all accounts whose browsers are used. */
export function accountNames(env: Env): string[] {
  return [OWN_ACCOUNT, ...readSettings(env).browserAccounts.map(({ name }) => name)];
}

/** A browser's name in the whole service: `<account>~<id>`, or the platform's id in this Worker's account. */
export function toBrowserId(account: string, platformId: string): string {
  return account === OWN_ACCOUNT ? platformId : `${account}${ACCOUNT_SEPARATOR}${platformId}`;
}

export function accountOf(browserId: string): string {
  return browserId.slice(0, Math.max(0, browserId.indexOf(ACCOUNT_SEPARATOR)));
}

/**
 * The binding that serves a browser, by its id. It answers no request once the account is no longer
 * configured.
 *
 * @example
 * await openDevToolsSocket(bindingOf(env, browserId), browserId);
 */
export function bindingOf(env: Env, browserId: string): BrowserBinding {
  return accountBinding(env, accountOf(browserId));
}

export function accountBinding(env: Env, name: string): BrowserBinding {
  if (name === OWN_ACCOUNT) return env.BROWSER;
  const { browserAccounts, browserAccountsToken } = readSettings(env);
  const account = browserAccounts.find((other) => other.name === name);
  if (account?.url !== undefined) return remoteBinding(account.url, browserAccountsToken);
  const binding: unknown = account?.binding && Reflect.get(env, account.binding);
  if (isBinding(binding)) return binding;
  return { fetch: () => Promise.reject(new Error(`The browser account "${name}" is not configured`)) };
}

/** An account behind a Worker of its own, which offers the interface of the browser binding. */
function remoteBinding(origin: string, token: string): BrowserBinding {
  return {
    fetch: (input: RequestInfo | URL, init?: RequestInit) => {
      const { url, method, headers, signal } = new Request(input, init);
      const { pathname, search } = new URL(url);
      const authorized = new Headers(headers);
      authorized.set("authorization", `Bearer ${token}`);
      // A redirect would take the token elsewhere.
      const request = { method, headers: authorized, signal, redirect: "manual" as const };
      return fetch(new URL(`${pathname}${search}`, origin), request);
    },
  };
}

function isBinding(value: unknown): value is BrowserBinding {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "fetch") === "function";
}

interface AccountBrowsers {
  /** Launch times in milliseconds since the epoch by the browser's id; undefined where unknown. */
  browsers: Map<string, number | undefined>;
  /** Accounts that did not answer. */
  silent: Set<string>;
}

/** Lists the browsers of all accounts. @throws BrowserUnavailableError when no account answers. */
export async function listAllBrowsers(env: Env): Promise<AccountBrowsers> {
  const browsers: AccountBrowsers["browsers"] = new Map();
  const failures = new Map<string, unknown>();
  const names = accountNames(env);
  const list = async (name: string) => {
    const listed = await listBrowsers(accountBinding(env, name));
    for (const [id, startedAt] of listed) browsers.set(toBrowserId(name, id), startedAt);
  };
  await Promise.all(names.map((name) => list(name).catch((error) => failures.set(name, error))));
  if (failures.size === names.length) throw failures.get(OWN_ACCOUNT);
  for (const [account, failure] of failures) logError("browser_list_failed", failure, { account });
  return { browsers, silent: new Set(failures.keys()) };
}

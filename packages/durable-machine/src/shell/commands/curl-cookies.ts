const MAX_COOKIES = 1000;

/** Cookies from servers and from files of `-b`. Their paths are ignored. */
export class CookieJar {
  /**
   * By domain and name. Fields of a line in Netscape's format: domain, whether it includes subdomains, path,
   * whether only for https, expiry in seconds since the epoch (0: with the session), name, value.
   */
  readonly #cookies = new Map<string, string[]>();

  load(text: string): void {
    for (const line of text.split(/\r?\n/)) this.#put(line.replace(/^#HttpOnly_/, "").split("\t"));
  }

  /** Stores what a server sets for its own host or a domain above it. */
  store(setCookies: readonly string[], { hostname }: URL): void {
    for (const line of setCookies) {
      const [, name = "", value = ""] = /^([^=;\t]+)=([^;\t]*)/.exec(line) ?? [];
      const [, domain] = /;\s*domain=\.?([^;\s]+)/i.exec(line.toLowerCase()) ?? [];
      // A domain of one label, such as "com", has many owners.
      if (domain && domain !== hostname && !(domain.includes(".") && isBelow(hostname, domain))) continue;
      const [, maxAge] = /;\s*max-age=(-?\d+)/i.exec(line) ?? [];
      const [, expires = ""] = /;\s*expires=([^;]+)/i.exec(line) ?? [];
      const time = maxAge === undefined ? Date.parse(expires) / 1000 : Date.now() / 1000 + Number(maxAge);
      const expiry = Number.isNaN(time) ? 0 : Math.max(1, Math.floor(time));
      const secure = /;\s*secure\s*(;|$)/i.test(line) ? "TRUE" : "FALSE";
      const subdomains = domain === undefined ? "FALSE" : "TRUE";
      this.#put([domain ?? hostname, subdomains, "/", secure, `${expiry}`, name.trim(), value.trim()]);
    }
  }

  cookiesFor({ hostname, protocol }: URL): string[] {
    return [...this.#cookies.values()].flatMap(([domain = "", subdomains, , secure, , name, value]) => {
      const isOfHost = hostname === domain || (subdomains === "TRUE" && isBelow(hostname, domain));
      return isOfHost && (secure !== "TRUE" || protocol === "https:") ? [`${name}=${value}`] : [];
    });
  }

  toString(): string {
    const lines = Array.from(this.#cookies.values(), (fields) => `${fields.join("\t")}\n`);
    return `# Netscape HTTP Cookie File\n\n${lines.join("")}`;
  }

  /** Replaces the cookie of the same name; an expired one only removes it. */
  #put([domain = "", ...fields]: string[]): void {
    const [, , , expiry, name = ""] = fields;
    const host = domain.replace(/^\./, "");
    const key = `${host}\t${name}`;
    this.#cookies.delete(key);
    const isValid = expiry === "0" || Number(expiry) > Date.now() / 1000;
    if (name !== "" && isValid && this.#cookies.size < MAX_COOKIES) this.#cookies.set(key, [host, ...fields]);
  }
}

/** Whether a host is a subdomain. An IP address is not. */
function isBelow(host: string, domain: string): boolean {
  return host.endsWith(`.${domain}`) && !/^[\d.]+$/.test(host);
}

import { describe, expect, it } from "vitest";
import {
  compileGlob,
  compileMatchPattern,
  MatchPatternError,
} from "../../../src/platform/browser/extensions/match-pattern.ts";

/** The part of a URL that pages match. */
function addressOf(url: string): string {
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}${pathname}${search}`;
}

const MATCHING: readonly [pattern: string, url: string][] = [
  ["<all_urls>", "http://example.com/"],
  ["<all_urls>", "https://user:secret@example.com:8443/a?b=c#d"],
  ["*://*/*", "http://example.com/"],
  ["*://*/*", "https://127.0.0.1:8080/x"],
  ["*://*/*", "http://[::1]:3000/"],
  ["http://*/*", "http://example.com/a/b?c"],
  ["https://*/*", "https://example.com/"],
  ["http://*/foo*", "http://example.com/foo/bar.html"],
  ["http://*/foo*", "http://www.example.com/foo"],
  ["https://*.example.com/foo*bar", "https://www.example.com/foo/baz/bar"],
  ["https://*.example.com/foo*bar", "https://example.com/foobar"],
  ["*://*.example.com/*", "http://example.com/"],
  ["*://*.example.com/*", "https://a.b.example.com/x"],
  ["*://*.example.com/*", "https://a.example.com:8443/x"],
  ["http://example.org/foo/bar.html", "http://example.org/foo/bar.html"],
  ["http://example.org/foo/bar.html", "http://example.org/foo/bar.html#part"],
  ["http://127.0.0.1/*", "http://127.0.0.1/"],
  ["http://127.0.0.1/*", "http://127.0.0.1:8080/foo"],
  ["http://[::1]/*", "http://[::1]:8080/"],
  ["http://localhost:3000/*", "http://localhost:3000/x"],
  ["http://localhost:*/*", "http://localhost:3000/x"],
  ["http://localhost:*/*", "http://localhost/x"],
  ["http://example.com:80/*", "http://example.com/x"],
  ["https://example.com:443/*", "https://example.com/x"],
  ["*://example.com:80/*", "http://example.com/x"],
  ["*://example.com:80/*", "https://example.com:80/x"],
  ["http://*:8080/*", "http://example.com:8080/"],
  ["http://*:8080/*", "http://[::1]:8080/"],
  ["http://*.test:8080/*", "http://a.test:8080/"],
  ["*://example.com/search?q=*", "https://example.com/search?q=berth"],
  ["*://example.com/*?q=1", "https://example.com/a/b?q=1"],
  ["*://example.com/a+b(c)", "http://example.com/a+b(c)"],
  ["*://example.com/*", "http://example.com/line%0Abreak"],
  ["http://example.com/docs/*", "http://example.com/docs"],
  ["http://example.com/docs/*", "http://example.com/docs/"],
  ["http://EXAMPLE.com/*", "http://example.com/"],
  ["http://bücher.test/*", "http://xn--bcher-kva.test/"],
];

const NOT_MATCHING: readonly [pattern: string, url: string][] = [
  ["<all_urls>", "about:blank"],
  ["<all_urls>", "data:text/html,http://example.com/"],
  ["<all_urls>", "file:///etc/passwd"],
  ["<all_urls>", "blob:http://example.com/0"],
  ["<all_urls>", "chrome://version/"],
  ["*://*/*", "ftp://example.com/"],
  ["*://*/*", "ws://example.com/"],
  ["*://*/*", "data:text/html,x"],
  ["http://*/*", "https://example.com/"],
  ["https://*/*", "http://example.com/"],
  ["http://*/foo*", "http://example.com/"],
  ["http://*/foo*", "http://example.com/bar/foo"],
  ["http://*/foo*", "http://example.com/FOO"],
  ["*://*.example.com/*", "http://notexample.com/"],
  ["*://*.example.com/*", "http://example.com.evil.test/"],
  ["*://*.example.com/*", "http://evil.test/?x=.example.com/"],
  ["*://*.example.com/*", "http://evil.test/http://www.example.com/"],
  ["http://example.com/*", "http://www.example.com/"],
  ["http://example.com/*", "http://examplexcom/"],
  ["http://example.com/", "http://example.com/x"],
  ["http://example.com/x", "http://example.com/x?y"],
  ["http://localhost:3000/*", "http://localhost:3001/"],
  ["http://localhost:3000/*", "http://localhost/"],
  ["http://example.com:80/*", "http://example.com:8080/"],
  ["*://example.com:80/*", "https://example.com/"],
  ["http://*:8080/*", "http://example.com/"],
  ["http://*:8080/*", "http://example.com/:8080/"],
  ["http://example.com/docs/*", "http://example.com/docs2"],
  ["http://example.com/docs/*", "http://example.com/docs?x"],
  ["http://127.0.0.1/*", "http://127.0.0.2/"],
  ["file:///foo*", "file:///foo/bar.html"],
  ["file:///foo*", "http://foo/"],
  ["ftp://example.com/*", "ftp://example.com/"],
  ["chrome-extension://*/*", "http://example.com/"],
];

describe("match patterns", () => {
  it.each(MATCHING)("%s matches %s", (pattern, url) => {
    expect(addressOf(url)).toMatch(new RegExp(compileMatchPattern(pattern)));
  });

  it.each(NOT_MATCHING)("%s does not match %s", (pattern, url) => {
    expect(addressOf(url)).not.toMatch(new RegExp(compileMatchPattern(pattern)));
  });

  it.each([
    ["", "it is not <scheme>://<host><path>"],
    ["*", "it is not <scheme>://<host><path>"],
    ["example.com", "it is not <scheme>://<host><path>"],
    ["http:/bar", "it is not <scheme>://<host><path>"],
    ["all_urls", "it is not <scheme>://<host><path>"],
    ["http://example.com", "it has no path; one begins with a slash"],
    ["http:///path", "it has no host"],
    ["foo://*", '"foo" is not a scheme of pages'],
    ["constructor://*/*", '"constructor" is not a scheme of pages'],
    ["data://*/*", '"data" is not a scheme of pages'],
    ["h*://example.com/*", '"h*" is not a scheme of pages'],
    ["http://*foo/bar", 'a "*" in a host stands for all of it, or before its first dot'],
    ["http://foo.*.bar/baz", 'a "*" in a host stands for all of it, or before its first dot'],
    ["http://example.*/", 'a "*" in a host stands for all of it, or before its first dot'],
    ["http://*./", '"" is not a host'],
    ["http://user@example.com/*", '"user@example.com" is not a host'],
    ["http://a b/*", '"a b" is not a host'],
    ["http://example.com:x/*", '"x" is not a port'],
    ["http://example.com:/*", '"" is not a port'],
    ["http://example.com:65536/*", '"65536" is not a port'],
  ])("%j is invalid", (pattern, reason) => {
    expect(() => compileMatchPattern(pattern)).toThrow(
      new MatchPatternError(`The match pattern "${pattern}" is invalid: ${reason}`),
    );
  });
});

describe("globs", () => {
  it.each([
    ["*", "", true],
    ["*", "http://example.com/\n", true],
    ["http://???.example.com/foo/*", "http://www.example.com/foo/bar", true],
    ["http://???.example.com/foo/*", "http://the.example.com/foo/", true],
    ["http://???.example.com/foo/*", "http://mail.example.com/foo/", false],
    ["http://???.example.com/foo/*", "http://my.example.com/foo/", true],
    ["*nytimes.com/???s/*", "http://www.nytimes.com/arts/index.html", true],
    ["*nytimes.com/???s/*", "http://www.nytimes.com/sports/index.html", false],
    ["*#part", "http://example.com/#part", true],
    ["*example.com", "http://example.com/", false],
    ["*.com", "http://examplexcom", false],
    ["a\\*b", "a*b", true],
    ["a\\*b", "axb", false],
    ["a\\?b", "a?b", true],
    ["a\\?b", "axb", false],
    ["[a-z](x|y)+", "[a-z](x|y)+", true],
    ["", "", true],
    ["", "x", false],
  ])("%s matches %s: %s", (glob, address, isMatch) => {
    expect(new RegExp(compileGlob(glob)).test(address)).toBe(isMatch);
  });
});

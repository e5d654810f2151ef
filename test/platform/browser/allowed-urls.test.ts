import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayOpen } from "../../../src/platform/browser/allowed-urls.ts";

const OWN = "abcdefghijklmnopabcdefghijklmnop";
const extensionIds = new Set([OWN]);

const ALLOWED = [
  "http://a.test/",
  "HTTPS://a.test/",
  " \n https://a.test/",
  "https://a.test/?chrome://inspect",
  "data:text/html,chrome://inspect",
  "about:blank",
  "about:blank#blocked",
  "about:blank?x",
  "about:srcdoc",
  "blob:https://a.test/1-2",
  "blob:null/1-2",
  "filesystem:https://a.test/temporary/x",
  "view-source:https://a.test/",
  "chrome-error://chromewebdata/",
  `chrome-extension://${OWN}`,
  `chrome-extension://${OWN}/popup.html`,
  "",
  "a.test",
];

const FORBIDDEN = [
  "chrome://version",
  "chrome://newtab",
  "chrome:inspect",
  "chrome:/inspect",
  "chrome://omnibox-popup.top-chrome/",
  "chrome-untrusted://print/",
  "chrome-search://local-ntp",
  "chrome-native://x",
  "devtools://devtools/bundled/inspector.html",
  "chrome-devtools://devtools/bundled/inspector.html",
  "file:///etc/passwd",
  "javascript:location='chrome://inspect'",
  "about:inspect",
  "about:",
  "about://blank",
  "blob:chrome://version/1-2",
  "filesystem:chrome://version/x",
  "view-source:view-source:chrome://inspect",
  "view-source: CHROME://inspect",
  "view-source:about:inspect",
  // The PDF viewer, which may open Chrome's pages in any tab.
  "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html",
  `chrome-extension://x@${OWN}/`,
  `chrome-extension:${OWN}/`,
  `view-source:chrome-extension://${OWN}x/`,
  "unknown:x",
  ":",
];

describe("mayOpen", () => {
  it.each(ALLOWED)("allows %j", (url) => expect(mayOpen(url, extensionIds)).toBe(true));
  it.each(FORBIDDEN)("forbids %j", (url) => expect(mayOpen(url, extensionIds)).toBe(false));

  it("forbids extensions unless they are the session's", () => {
    expect(mayOpen(`chrome-extension://${OWN}/popup.html`)).toBe(false);
  });

  const schemes = ["chrome", "chrome-untrusted", "devtools", "file", "about", "chrome-extension", "x"];
  const ignored = fc.string({
    unit: fc.constantFrom("\t", "\n", "\r", " ", "\0", "\x1f", "\u00a0", "\ufeff"),
    maxLength: 4,
  });
  const wrapper = fc.constantFrom("view-source:", "View-Source:", "blob:", "filesystem:", "view-source: ");
  const scheme = fc
    .constantFrom(...schemes)
    .chain((name) =>
      fc
        .array(fc.tuple(fc.boolean(), ignored), { minLength: name.length, maxLength: name.length })
        .map((steps) =>
          steps.map(([upper, gap], i) => (upper ? name[i]?.toUpperCase() : name[i]) + gap).join(""),
        ),
    );

  it("forbids each spelling of a forbidden scheme", () => {
    fc.assert(
      fc.property(
        fc.array(wrapper, { maxLength: 4 }),
        ignored,
        scheme,
        fc.webPath(),
        (wrappers, gap, name, path) => {
          expect(mayOpen(`${wrappers.join("")}${gap}${name}:inspect${path}`, extensionIds)).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("agrees with the URL standard on what it allows", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom(...ALLOWED, ...FORBIDDEN),
        (noise, url) => {
          for (const given of [noise + url, url + noise, url.replace(":", `${noise}:`)]) {
            const protocol = URL.parse(given)?.protocol ?? "none";
            if (/^(chrome|chrome-untrusted|devtools|file|javascript):$/.test(protocol)) {
              expect(mayOpen(given, extensionIds), given).toBe(false);
            }
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("takes no time for a long URL", () => {
    const begin = performance.now();
    mayOpen("view-source:".repeat(50_000));
    mayOpen(" ".repeat(5_000_000));
    mayOpen("view-source: \t".repeat(50_000));
    expect(performance.now() - begin).toBeLessThan(1000);
  });
});

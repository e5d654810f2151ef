/**
 * Runs in every page, frame and worker of a stealth session before their own scripts. It changes only what tells,
 * and what it changes goes on looking native: a getter or method is replaced by a proxy of itself in its own place,
 * whose source, name, length and errors are the original's.
 *
 * It is text, not a function turned into text: bundlers put calls of their own helpers into functions. It takes the
 * built-in functions that it needs beforehand, because a page may replace them. An own function of a page's named as
 * one of NAMES that is wrapped in a proxy reads as native too; in return one realm knows the functions of another.
 */
export const STEALTH_SCRIPT = `(() => {
  const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const { includes, indexOf, replace, slice } = String.prototype;
  const { toString } = Function.prototype;
  const ANONYMOUS = "function () { [native code] }";
  const NAMES = {
    __proto__: null,
    "toString": 1, "get webdriver": 1, "get userAgent": 1, "get appVersion": 1, "getParameter": 1,
  };
  const isApplied = apply(toString, new Proxy(toString, {}), []) !== ANONYMOUS;
  if (isApplied) return;

  // What the engine throws lists this script's frame; a native function has none.
  const hideFrame = (error) => {
    const { stack } = error;
    if (typeof stack !== "string") return;
    const start = apply(indexOf, stack, ["\\n    at Object.apply (<anonymous>:"]);
    if (start < 0) return;
    const end = apply(indexOf, stack, ["\\n", start + 1]);
    error.stack = apply(slice, stack, [0, start]) + (end < 0 ? "" : apply(slice, stack, [end]));
  };

  const wrap = (native, answer) =>
    new Proxy(native, {
      __proto__: null,
      apply(target, self, args) {
        try {
          return answer(apply(target, self, args), self, args, target);
        } catch (error) {
          hideFrame(error);
          throw error;
        }
      },
    });

  const wrapProperty = (owner, name, field, answer) => {
    const descriptor = owner && getOwnPropertyDescriptor(owner, name);
    if (!descriptor) return;
    defineProperty(owner, name, { ...descriptor, [field]: wrap(descriptor[field], answer) });
  };

  wrapProperty(Function.prototype, "toString", "value", (source, self) => {
    if (source !== ANONYMOUS) return source;
    try {
      const name = getOwnPropertyDescriptor(self, "name")?.value;
      return typeof name === "string" && name in NAMES ? "function " + name + "() { [native code] }" : source;
    } catch {
      return source;
    }
  });

  const navigatorPrototype = getPrototypeOf(navigator);
  if (navigator.webdriver) wrapProperty(navigatorPrototype, "webdriver", "get", () => false);

  // DevTools' override of the user agent does not reach the scripts of shared and service workers.
  if (apply(includes, navigator.userAgent, ["HeadlessChrome"])) {
    for (const name of ["userAgent", "appVersion"]) {
      wrapProperty(navigatorPrototype, name, "get", (text) => apply(replace, text, ["HeadlessChrome", "Chrome"]));
    }
  }

  const UNMASKED = {
    __proto__: null,
    37445: "Google Inc. (Intel)",
    37446: "ANGLE (Intel, Mesa Intel(R) UHD Graphics 630 (CFL GT2), OpenGL 4.6)",
  };
  const isSoftware = (renderer) =>
    typeof renderer === "string" &&
    (apply(includes, renderer, ["SwiftShader"]) || apply(includes, renderer, ["llvmpipe"]));
  for (const context of [globalThis.WebGLRenderingContext, globalThis.WebGL2RenderingContext]) {
    wrapProperty(context?.prototype, "getParameter", "value", (value, self, [parameter], native) =>
      typeof value === "string" && parameter in UNMASKED && isSoftware(apply(native, self, [37446]))
        ? UNMASKED[parameter]
        : value,
    );
  }
})();`;

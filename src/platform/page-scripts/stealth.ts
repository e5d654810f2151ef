type Native = (this: unknown, ...args: PropertyKey[]) => unknown;
type Replacement = (
  value: unknown,
  self: unknown,
  argument: PropertyKey | undefined,
  native: Native,
) => unknown;

/**
 * Replaces revealing properties with proxies that keep source, name, length and errors. Built-in functions
 * are saved first, because pages can replace them. A page's own proxied function with one of NAMES reads as
 * native too; in return, realms recognize each other's functions.
 */
export function applyStealth(): void {
  const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, set } = Reflect;
  const { includes, indexOf, replace, slice } = String.prototype;
  const { toString: toSource } = Function.prototype;
  const toObject = Object;
  const ANONYMOUS = "function () { [native code] }";
  const NAMES = {
    __proto__: null,
    toString: 1,
    "get webdriver": 1,
    "get userAgent": 1,
    "get appVersion": 1,
    getParameter: 1,
  };
  const isApplied = apply(toSource, new Proxy(toSource, {}), []) !== ANONYMOUS;
  if (isApplied) return;

  // Native functions have no stack frame.
  const hideFrame = (error: unknown) => {
    const thrown = toObject(error);
    const { stack } = thrown;
    if (typeof stack !== "string") return;
    const start = apply(indexOf, stack, ["\n    at Object.apply (<anonymous>:"]);
    if (start < 0) return;
    const end = apply(indexOf, stack, ["\n", start + 1]);
    const shown = apply(slice, stack, [0, start]) + (end < 0 ? "" : apply(slice, stack, [end]));
    set(thrown, "stack", shown);
  };

  const wrap = (native: Native, answer: Replacement): Native => {
    const handler = {
      __proto__: null,
      apply(target: Native, self: unknown, args: PropertyKey[]) {
        try {
          return answer(apply(target, self, args), self, args[0], target);
        } catch (error) {
          hideFrame(error);
          throw error;
        }
      },
    };
    return new Proxy(native, handler);
  };

  const wrapProperty = (
    owner: object | null | undefined,
    name: string,
    field: "get" | "value",
    answer: Replacement,
  ) => {
    const descriptor = owner && getOwnPropertyDescriptor(owner, name);
    if (!descriptor) return;
    defineProperty(owner, name, { ...descriptor, [field]: wrap(descriptor[field], answer) });
  };

  wrapProperty(Function.prototype, "toString", "value", (source, self) => {
    if (source !== ANONYMOUS) return source;
    try {
      const name = getOwnPropertyDescriptor(toObject(self), "name")?.value;
      return typeof name === "string" && name in NAMES ? `function ${name}() { [native code] }` : source;
    } catch {
      return source;
    }
  });

  const navigatorPrototype = getPrototypeOf(navigator);
  if (navigator.webdriver) wrapProperty(navigatorPrototype, "webdriver", "get", () => false);

  // DevTools' override does not reach shared and service workers.
  if (apply(includes, navigator.userAgent, ["HeadlessChrome"])) {
    for (const name of ["userAgent", "appVersion"]) {
      wrapProperty(navigatorPrototype, name, "get", (text) =>
        apply(replace, text, ["HeadlessChrome", "Chrome"]),
      );
    }
  }

  const UNMASKED: Record<PropertyKey, string | null> = {
    __proto__: null,
    37445: "Google Inc. (Intel)",
    37446: "ANGLE (Intel, Mesa Intel(R) UHD Graphics 630 (CFL GT2), OpenGL 4.6)",
  };
  const isSoftware = (renderer: unknown) =>
    typeof renderer === "string" &&
    (apply(includes, renderer, ["SwiftShader"]) || apply(includes, renderer, ["llvmpipe"]));
  for (const context of [globalThis.WebGLRenderingContext, globalThis.WebGL2RenderingContext]) {
    wrapProperty(context?.prototype, "getParameter", "value", (value, self, parameter, native) =>
      typeof value === "string" &&
      parameter !== undefined &&
      parameter in UNMASKED &&
      isSoftware(apply(native, self, [37446]))
        ? UNMASKED[parameter]
        : value,
    );
  }
}

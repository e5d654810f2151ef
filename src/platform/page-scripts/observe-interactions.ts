/** Reports trusted clicks, keys outside secret fields, and scrolling to a binding of the world it runs in. */
export function observeInteractions(binding: string): void {
  const send: unknown = Reflect.get(globalThis, binding);
  if (typeof send !== "function") return;
  const report = (type: string, data: object) => send(JSON.stringify({ type, data }));

  const secretFields = new WeakSet<Element>();
  const secretName = /passw|pwd|secret|otp|cvc|cvv|card.?num|iban|ssn|\bpin\b/i;
  const secretAutocomplete = /\b(cc-\S+|one-time-code|current-password|new-password)\b/i;

  /** A field stays secret when the page makes it readable, as with "show password". */
  function isSecret(element: Element | undefined): boolean {
    if (!(element instanceof HTMLElement)) return false;
    const masking = getComputedStyle(element).getPropertyValue("-webkit-text-security");
    const hints = ["name", "id", "aria-label", "placeholder"].map((name) => element.getAttribute(name) ?? "");
    const isHidden =
      (element instanceof HTMLInputElement && element.type === "password") ||
      (masking !== "" && masking !== "none");
    if (
      isHidden ||
      secretAutocomplete.test(element.getAttribute("autocomplete") ?? "") ||
      hints.some((hint) => secretName.test(hint))
    ) {
      secretFields.add(element);
    }
    return secretFields.has(element);
  }

  /** The innermost element, including inside open shadow roots. */
  function elementOf(event: Event): Element | undefined {
    const [innermost] = event.composedPath();
    return innermost instanceof Element ? innermost : undefined;
  }

  function selectorOf(element: Element | undefined): string {
    const parts: string[] = [];
    let current = element;
    while (current !== undefined && parts.length < 5) {
      if (current.id !== "") {
        parts.unshift(`#${CSS.escape(current.id.slice(0, 100))}`);
        break;
      }
      const { localName, parentElement } = current;
      const siblings: Element[] = parentElement === null ? [] : [...parentElement.children].slice(0, 200);
      const same = siblings.filter((sibling) => sibling.localName === localName);
      parts.unshift(same.length > 1 ? `${localName}:nth-of-type(${same.indexOf(current) + 1})` : localName);
      current = parentElement ?? undefined;
    }
    return parts.join(" > ").slice(0, 400);
  }

  function textOf(element: Element | undefined): string {
    const isField = element?.matches("input, textarea, select, [contenteditable]");
    if (!(element instanceof HTMLElement) || isField) return "";
    return (element.innerText ?? "").slice(0, 1000).trim().slice(0, 100);
  }

  const listen = <K extends keyof WindowEventMap>(type: K, listener: (event: WindowEventMap[K]) => void) =>
    window.addEventListener(type, (event) => event.isTrusted && listener(event), {
      capture: true,
      passive: true,
    });

  listen("focusin", (event) => void isSecret(elementOf(event)));
  listen("click", (event) => {
    const element = elementOf(event);
    report("interaction_click", {
      selector: selectorOf(element),
      tag: element?.tagName ?? "",
      text: textOf(element),
      x: event.clientX,
      y: event.clientY,
    });
  });
  listen("keydown", (event) => {
    const element = elementOf(event);
    if (isSecret(element) || event.isComposing) return;
    report("interaction_key", {
      key: event.key,
      selector: selectorOf(element),
      tag: element?.tagName ?? "",
    });
  });

  const settleMs = 200;
  let scroll:
    | { from: [number, number]; element: Element | undefined; timer: ReturnType<typeof setTimeout> }
    | undefined;
  const positionOf = (element: Element | undefined): [number, number] =>
    element === undefined ? [scrollX, scrollY] : [element.scrollLeft, element.scrollTop];
  let lastPosition: [number, number] = [scrollX, scrollY];
  listen("scroll", (event) => {
    const element = elementOf(event);
    if (scroll !== undefined && scroll.element !== element) return;
    const from = scroll?.from ?? (element === undefined ? lastPosition : positionOf(element));
    clearTimeout(scroll?.timer);
    const timer = setTimeout(() => {
      const to = positionOf(element);
      scroll = undefined;
      if (element === undefined) lastPosition = to;
      report("interaction_scroll_settled", {
        from_x: from[0],
        from_y: from[1],
        to_x: to[0],
        to_y: to[1],
        target_selector: element === undefined ? "document" : selectorOf(element),
      });
    }, settleMs);
    scroll = { from, element, timer };
  });
}

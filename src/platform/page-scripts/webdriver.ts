/** The keys of references to nodes in WebDriver's JSON. */
const ELEMENT_KEY = "element-6066-11e4-a52e-4f735466cecf";
const SHADOW_KEY = "shadow-6066-11e4-a52e-4f735466cecf";

const BOOLEAN_ATTRIBUTES =
  /^(allowfullscreen|async|autofocus|autoplay|checked|controls|default|defer|disabled|formnovalidate|hidden|inert|ismap|itemscope|loop|multiple|muted|nomodule|novalidate|open|playsinline|readonly|required|reversed|selected)$/i;

/** Becomes an error of WebDriver: the name is its code. */
function failure(code: string, message: string): DOMException {
  return new DOMException(message, code);
}

/**
 * Calls a script with arguments that are JSON. References in it are replaced by the nodes, in order.
 *
 * @returns the result as JSON, in which each node is replaced by its index, and the nodes.
 */
export async function callWithNodes(
  script: (...args: unknown[]) => unknown,
  isAsync: boolean,
  json: string,
  ...given: Node[]
): Promise<unknown[]> {
  const args: unknown[] = JSON.parse(json, (_, value) => {
    if (typeof value !== "object" || value === null) return value;
    if (!(ELEMENT_KEY in value) && !(SHADOW_KEY in value)) return value;
    const node = given.shift();
    if (!node?.isConnected) throw failure("stale element reference", "the element is not in the page");
    return node;
  });
  const result = isAsync
    ? await new Promise((resolve) => script(...args, resolve))
    : await script.apply(null, args);
  const nodes: Node[] = [];
  const text = JSON.stringify(result, function (this: Record<string, unknown>, key, value) {
    const original = this[key];
    if (original instanceof Node)
      return { [original instanceof ShadowRoot ? SHADOW_KEY : ELEMENT_KEY]: nodes.push(original) - 1 };
    return original instanceof NodeList || original instanceof HTMLCollection ? [...original] : value;
  });
  return [text ?? "null", ...nodes];
}

export function findElements(strategy: string, value: string, root: ParentNode & Node = document): Element[] {
  const links = (matches: (text: string) => boolean) =>
    [...root.querySelectorAll("a")].filter((link) => matches(link.innerText.trim()));
  switch (strategy) {
    case "css selector":
    case "tag name":
      return [...root.querySelectorAll(value)];
    case "link text":
      return links((text) => text === value.trim());
    case "partial link text":
      return links((text) => text.includes(value));
  }
  const found = document.evaluate(value, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  return Array.from({ length: found.snapshotLength }, (_, index) => {
    const node = found.snapshotItem(index);
    if (node instanceof Element) return node;
    throw failure("invalid selector", "the expression finds nodes that are not elements");
  });
}

/** @returns whether the mouse can click the element. Options are selected here: they have no place. */
function prepareClick(element: HTMLElement): boolean {
  if (element instanceof HTMLOptionElement) {
    const select = element.closest("select");
    if (select === null || element.disabled || select.disabled) return false;
    element.selected = !select.multiple || !element.selected;
    for (const type of ["input", "change"]) select.dispatchEvent(new Event(type, { bubbles: true }));
    return false;
  }
  const [first] = element.getClientRects();
  if (first === undefined) throw failure("element not interactable", "the element has no size and location");
  show(element);
  const [box = first] = element.getClientRects();
  const x = (Math.max(0, box.left) + Math.min(innerWidth, box.right)) / 2;
  const y = (Math.max(0, box.top) + Math.min(innerHeight, box.bottom)) / 2;
  const root = element.getRootNode();
  const top = (root instanceof ShadowRoot ? root : document).elementFromPoint(x, y);
  if (top === null) throw failure("element not interactable", "the element cannot be scrolled into view");
  if (!element.contains(top))
    throw failure("element click intercepted", `another element would receive the click: <${top.localName}>`);
  return true;
}

function show(element: Element): void {
  const { top, left, bottom, right } = element.getBoundingClientRect();
  if (top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth) return;
  element.scrollIntoView({ behavior: "instant", block: "center", inline: "nearest" });
}

/** @returns "file" for an input of files, which takes paths. */
function focusForTyping(element: HTMLElement): "file" | "text" {
  if (element instanceof HTMLInputElement && element.type === "file") return "file";
  show(element);
  const root = element.getRootNode();
  const active = () => (root instanceof ShadowRoot ? root : document).activeElement;
  if (!element.contains(active())) element.focus();
  if (!element.contains(active()) && !element.isContentEditable)
    throw failure("element not interactable", "the element cannot have the keyboard focus");
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    // Inputs of other types have no selection.
    if (element.selectionStart !== null)
      element.setSelectionRange(element.value.length, element.value.length);
  } else if (element.isContentEditable) {
    getSelection()?.selectAllChildren(element);
    getSelection()?.collapseToEnd();
  }
  return "text";
}

function clear(element: HTMLElement): void {
  show(element);
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
  if (isField ? element.disabled || element.readOnly : !element.isContentEditable)
    throw failure("invalid element state", "the element cannot be edited");
  element.focus();
  if (isField) element.value = "";
  else element.textContent = "";
  for (const type of ["input", "change"]) element.dispatchEvent(new Event(type, { bubbles: true }));
  element.blur();
}

/** Reads a state of an element, or prepares it for a command. `name` is the name of an attribute or style. */
export function useElement(element: HTMLElement, purpose: string, name: string): unknown {
  switch (purpose) {
    case "clear":
      return clear(element);
    case "click":
      return prepareClick(element);
    case "screenshot":
      return show(element);
    case "type":
      return focusForTyping(element);
    case "attribute": {
      const value = element.getAttribute(name);
      return BOOLEAN_ATTRIBUTES.test(name) && value !== null ? "true" : value;
    }
    case "css":
      return getComputedStyle(element).getPropertyValue(name);
    case "displayed":
      return element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    case "enabled":
      return !element.matches(":disabled");
    case "name":
      return element.localName;
    case "rect": {
      const { left, top, width, height } = element.getBoundingClientRect();
      return { x: left + scrollX, y: top + scrollY, width, height };
    }
    case "selected":
      return element.matches("option:checked, input:checked");
    case "shadow":
      if (element.shadowRoot !== null) return element.shadowRoot;
      throw failure("no such shadow root", "the element has no open shadow root");
    case "text":
      return element.checkVisibility() ? (element.innerText ?? element.textContent ?? "").trim() : "";
  }
  return null;
}

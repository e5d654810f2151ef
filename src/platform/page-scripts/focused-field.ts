/** The field that has a page's focus, as a phone needs it: with its keyboard or its choices. */
type FocusedField =
  | { kind: "text"; inputMode: string }
  | { kind: "choice"; options: string[]; selected: number }
  | { kind: "picker"; type: string; value: string };

const PICKED_TYPES = ["date", "time", "datetime-local", "month", "week", "color"];
const TYPED_TYPES = ["text", "search", "url", "tel", "email", "password", "number"];
const MAX_OPTIONS = 1000;
const MAX_TEXT_LENGTH = 200;

/** Looks into open shadow roots and frames of the same origin. */
export async function describeFocusedField(): Promise<FocusedField | undefined> {
  // A tap focuses after its touch has ended.
  for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
  const field = focusedElement();
  if (isElement(field, "select") && !field.multiple) {
    const options = [...field.options].slice(0, MAX_OPTIONS);
    const texts = options.map(({ label }) => label.slice(0, MAX_TEXT_LENGTH));
    return { kind: "choice", options: texts, selected: field.selectedIndex };
  }
  if (isElement(field, "input")) {
    const { type, value, inputMode } = field;
    if (PICKED_TYPES.includes(type)) return { kind: "picker", type, value };
    if (!TYPED_TYPES.includes(type)) return undefined;
    return { kind: "text", inputMode: inputMode || (type === "number" ? "decimal" : type) };
  }
  const isTyped = isElement(field, "textarea") || field?.matches(":read-write");
  return isTyped ? { kind: "text", inputMode: "text" } : undefined;
}

/** @param value the number of an option, or a picker's value. */
export function fillFocusedField(value: string): void {
  const field = focusedElement();
  if (isElement(field, "select")) field.selectedIndex = Number(value);
  else if (isElement(field, "input") && PICKED_TYPES.includes(field.type)) field.value = value;
  else return;
  field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
  field.blur();
}

function focusedElement(): Element | null {
  let element = document.activeElement;
  for (;;) {
    const frame = isElement(element, "iframe") ? element.contentDocument : null;
    const inner = (element?.shadowRoot ?? frame)?.activeElement;
    // The open list of a select has the focus on one of its options.
    if (inner === null || inner === undefined) return element?.closest("select") ?? element;
    element = inner;
  }
}

/** Frames have classes of their own, so `instanceof` does not work. */
function isElement<Name extends keyof HTMLElementTagNameMap>(
  element: Element | null,
  name: Name,
): element is HTMLElementTagNameMap[Name] {
  return element?.localName === name;
}

export function find<T extends Element>(
  selector: string,
  type: new () => T,
  within: ParentNode = document,
): T {
  const found = within.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`index.html has no ${selector} that is a ${type.name}`);
  return found;
}

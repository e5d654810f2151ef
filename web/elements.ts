export function find<T extends Element>(
  selector: string,
  type: new () => T,
  within: ParentNode = document,
): T {
  const found = within.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`index.html has no ${selector} that is a ${type.name}`);
  return found;
}

export function instantiate<T extends Element>(template: HTMLTemplateElement, type: new () => T): T {
  const copy = document.importNode(template.content, true).firstElementChild;
  if (!(copy instanceof type)) throw new Error(`#${template.id} is not one ${type.name}`);
  return copy;
}
